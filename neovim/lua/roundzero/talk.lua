-- Speaks with the person and with the server. Every request returns at once; its answer comes to a function.
local M = {}

--- Short enough for the line below the windows: a longer one would have to be confirmed.
M.MISSING = 'its program is missing; see :checkhealth roundzero'

--- A message in few words.
function M.say(text, level)
  vim.notify('Round Zero: ' .. text, level or vim.log.levels.INFO)
end

function M.warn(text) M.say(text, vim.log.levels.WARN) end

--- The server of the current buffer, or else the only one, or the one of the current folder.
function M.client()
  local here = vim.lsp.get_clients({ name = 'roundzero', bufnr = 0 })[1]
  local all = vim.lsp.get_clients({ name = 'roundzero' })
  if here or #all == 1 then
    return here or all[1]
  end
  local root = vim.fs.root(vim.fn.getcwd(), '.git')
  return vim.iter(all):find(function(client) return client.root_dir == root end)
end

--- Why there is no server for the current buffer, and what to do.
function M.reason()
  if vim.lsp.is_enabled and not vim.lsp.is_enabled('roundzero') then
    return "not enabled; add vim.lsp.enable('roundzero') to your init.lua"
  end
  if not vim.fs.root(0, '.git') then
    return 'this file is in no git repository'
  end
  if require('roundzero.server').missing() then
    return M.MISSING
  end
  return 'not running here; see :checkhealth roundzero'
end

--- Send a request; `answer(result, client)` when it went well, else the server's own words are shown.
function M.ask(method, params, answer)
  local client = M.client()
  if not client then
    return M.warn(M.reason())
  end
  client:request(method, params, function(problem, result)
    if problem then
      M.warn(problem.message)
    elseif answer then
      answer(result, client)
    end
  end)
end

--- Run one of the server's commands, `argument` being its one object.
function M.command(name, argument, answer)
  local params = { command = 'roundzero.' .. name, arguments = argument and { argument } or nil }
  M.ask('workspace/executeCommand', params, answer)
end

return M
