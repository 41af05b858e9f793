-- Round Zero for Neovim. vim.lsp.enable('roundzero') is all it needs; this is for what one may want beyond that.
local M = {}

local OPTIONS = { cmd = true, venv = true, settings = true }

--- Configure and enable the server. `venv`: the folder of a virtual environment that has it; or `cmd`: the command as a
--- list; `settings`: as in docs/settings.md, the editor's names. All are optional.
function M.setup(options)
  options = options or {}
  for name in pairs(options) do
    if not OPTIONS[name] then
      require('roundzero.talk').warn(('setup() knows no option %s'):format(name))
    end
  end
  local venv = options.venv and { require('roundzero.server').inside(options.venv), 'lsp' } or nil
  vim.lsp.config('roundzero', {
    cmd = options.cmd or venv,
    settings = options.settings and { roundzero = options.settings } or nil,
  })
  vim.lsp.enable('roundzero')
end

--- A few words for the status line of the current buffer; empty where Round Zero does not run.
function M.statusline()
  local buffer = vim.api.nvim_get_current_buf()
  local status = require('roundzero.status').of(buffer)
  if status then
    return 'RZ ' .. require('roundzero.status').line(status)
  end
  return #vim.lsp.get_clients({ name = 'roundzero', bufnr = buffer }) > 0 and 'RZ …' or ''
end

--- The whole of the last `roundzero/status` for a buffer (0: the current one); nil when there was none.
function M.status(buffer)
  return require('roundzero.status').of(buffer == 0 and vim.api.nvim_get_current_buf() or buffer)
end

return M
