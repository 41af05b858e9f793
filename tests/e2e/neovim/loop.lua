-- A person sees a mark, reads, fixes, saves, and takes it back.
story.tell(function()
  local seen, buffer = story.seen, vim.api.nvim_get_current_buf()
  seen.first = story.marks(1)
  seen.encoding = vim.lsp.get_clients()[1].offset_encoding

  vim.api.nvim_win_set_cursor(0, { seen.first[1].line, seen.first[1].column })
  vim.lsp.buf.hover()
  seen.hover = story.float()

  local tick = vim.api.nvim_buf_get_changedtick(buffer)
  vim.lsp.buf.code_action({ apply = true, filter = function(action) return action.isPreferred end })
  story.await('a fix', function() return vim.api.nvim_buf_get_changedtick(buffer) ~= tick end)
  story.marks(0)
  vim.cmd.write()
  seen.saved = vim.fn.readfile(vim.api.nvim_buf_get_name(0))
  seen.after_save = story.diagnostics()

  vim.cmd.undo()
  seen.after_undo = story.marks(1)
  seen.text_after_undo = story.lines()
end)
