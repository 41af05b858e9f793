-- A person has the folder on the runtime path and asks for something before the server is enabled.
story.tell(function()
  local seen = story.seen
  seen.said_at_opening = vim.deepcopy(seen.said)
  vim.cmd('RoundZero')
  seen.hint = story.heard('enable')
  vim.cmd('checkhealth roundzero')
  seen.health = story.lines()
  vim.cmd.close()

  require('roundzero').setup({
    venv = vim.fs.dirname(vim.fs.dirname(vim.env.STORY_SERVER)),
    settings = { diagnosticSeverity = { P2 = 'hint' } },
    colour = 'green',
  })
  seen.unknown_option = story.heard('colour')
  vim.api.nvim_exec_autocmds('FileType', { buffer = 0 })
  story.marks(1)
  -- Between the marks of the old settings and those of the new ones there may be none.
  story.await('the settings', function()
    return vim.tbl_get(vim.diagnostic.get(0), 1, 'severity') == vim.diagnostic.severity.HINT
  end)
  local client = vim.lsp.get_clients({ name = 'roundzero' })[1]
  seen.command = client.config.cmd
  seen.options = client.config.init_options or vim.NIL

  vim.cmd('help roundzero')
  seen.help = vim.api.nvim_get_current_line()
end)
