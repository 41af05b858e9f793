-- Drives Neovim as a person does and writes what it saw as JSON. Arguments: roundzero's command, the folder of the
-- plug-in, the file to open, the file to write to. Every step waits for a state, with a limit.
local command, plugin, file, output = arg[1], arg[2], arg[3], arg[4]
local LIMIT = 30000
local seen = {}

local function finish(code)
  vim.fn.writefile({ vim.json.encode(seen) }, output)
  vim.cmd('silent! %bwipeout!')
  for _, client in ipairs(vim.lsp.get_clients()) do
    client:stop()
  end
  vim.wait(5000, function() return #vim.lsp.get_clients() == 0 end, 20)
  seen.stopped = #vim.lsp.get_clients() == 0
  vim.fn.writefile({ vim.json.encode(seen) }, output)
  vim.cmd(code == 0 and 'qall!' or 'cquit ' .. code)
end

local function await(what, condition)
  if not vim.wait(LIMIT, condition, 20) then
    seen.failed = what
    finish(1)
  end
end

vim.opt.runtimepath:prepend(plugin)
vim.lsp.config('roundzero', { cmd = { command, 'lsp' } })
vim.lsp.enable('roundzero')
vim.cmd('filetype on')
vim.cmd.edit(vim.fn.fnameescape(file))
local buffer = vim.api.nvim_get_current_buf()

local function diagnostics()
  return vim.tbl_map(
    function(each) return { line = each.lnum + 1, column = each.col, item = each.code, source = each.source } end,
    vim.diagnostic.get(buffer)
  )
end

await('a diagnostic', function() return #diagnostics() > 0 end)
seen.first = diagnostics()
seen.encoding = vim.lsp.get_clients()[1].offset_encoding

local at = seen.first[1]
vim.api.nvim_win_set_cursor(0, { at.line, at.column })
vim.lsp.buf.hover()
await('a hover', function()
  for _, window in ipairs(vim.api.nvim_list_wins()) do
    if vim.api.nvim_win_get_config(window).relative ~= '' then
      local shown = vim.api.nvim_win_get_buf(window)
      seen.hover = table.concat(vim.api.nvim_buf_get_lines(shown, 0, -1, false), '\n')
      vim.api.nvim_win_close(window, true)
      return true
    end
  end
  return false
end)

local tick = vim.api.nvim_buf_get_changedtick(buffer)
vim.lsp.buf.code_action({ apply = true, filter = function(action) return action.isPreferred end })
await('a fix', function() return vim.api.nvim_buf_get_changedtick(buffer) ~= tick end)
await('no diagnostic after the fix', function() return #diagnostics() == 0 end)
vim.cmd.write()
seen.saved = vim.fn.readfile(file)
seen.after_save = diagnostics()

vim.cmd.undo()
await('the diagnostic after undo', function() return #diagnostics() > 0 end)
seen.after_undo = diagnostics()
seen.text_after_undo = vim.api.nvim_buf_get_lines(buffer, 0, -1, false)
finish(0)
