-- The last things the servers logged, whatever the level of Neovim's own log.
local M = {}

local KEPT = 1000
local KINDS = { 'error', 'warning', 'info', 'debug' }
local lines = {}

--- Keep a `window/logMessage`.
function M.receive(message)
  local text = ('%s %s: %s'):format(os.date('%H:%M:%S'), KINDS[message.type] or 'log', message.message)
  vim.list_extend(lines, vim.split(text, '\n', { plain = true }))
  lines = #lines > KEPT and vim.list_slice(lines, #lines - KEPT + 1) or lines
end

--- The lines, oldest first.
function M.lines()
  return vim.deepcopy(lines)
end

return M
