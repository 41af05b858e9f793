-- A person works in two repositories at once.
story.tell(function()
  local seen, statusline = story.seen, require('roundzero').statusline
  story.marks(1)
  story.status('^RZ LGTM P2:1$')
  vim.cmd.edit(vim.env.STORY_OTHER)
  seen.other = story.status('BLOCKED P0:1')
  vim.cmd('RoundZero review')
  seen.review = story.heard('base')
  vim.cmd.buffer('#')
  seen.first = story.status('LGTM P2:1')
  seen.servers = #vim.lsp.get_clients({ name = 'roundzero' })

  local told = 0
  vim.api.nvim_create_autocmd('User', { pattern = 'RoundZeroStatus', callback = function() told = told + 1 end })
  vim.cmd('RoundZero pause')
  story.await('the event', function() return told > 0 and statusline() == 'RZ paused' end)
  seen.paused = { statusline(), require('roundzero').status(vim.fn.bufnr('#')).paused }
  vim.lsp.enable('roundzero', false)
  story.await('no status line', function() return statusline() == '' end)
end)
