-- Where the server's program is. It looks at files only and starts nothing.
local M = {}

local windows = vim.fn.has('win32') == 1

local file = vim.fn.fnamemodify(debug.getinfo(1, 'S').source:sub(2), ':p')

--- The folder of this plug-in, links resolved.
M.folder = vim.fs.normalize(vim.fn.fnamemodify(vim.uv.fs_realpath(file) or file, ':h:h:h'))

--- The program within a virtual environment.
function M.inside(environment)
  return vim.fs.joinpath(vim.fs.normalize(environment), windows and 'Scripts/roundzero.exe' or 'bin/roundzero')
end

--- The program this folder came with: that of the wheel it lies in, or of the source tree. nil: it came alone.
local function beside()
  local wheel = M.folder:match('^(.*)/lib/[^/]+/site%-packages/roundzero/neovim$')
    or M.folder:match('^(.*)/Lib/site%-packages/roundzero/neovim$')
  local program = M.inside(wheel or vim.fs.joinpath(vim.fs.dirname(M.folder), '.venv'))
  return vim.fn.executable(program) == 1 and program or nil
end

--- The command that starts the server: what is on PATH first, so that an active environment counts.
function M.command()
  local found = vim.fn.executable('roundzero') == 1
  return { not found and beside() or 'roundzero', 'lsp' }
end

--- The configured program, when it is not there; nil when it is.
function M.missing()
  local command = vim.lsp.config.roundzero.cmd
  local missing = type(command) == 'table' and vim.fn.executable(command[1]) == 0
  return missing and command[1] or nil
end

return M
