-- What servers told of their reviews, and how it reads in few words. Nothing is asked: `roundzero/status` brings it.
local M = {}

local SEVERITIES = { 'P0', 'P1', 'P2', 'P3' }

--- How the base was chosen, in the words of the report.
local HOW = {
  explicit = 'as asked for',
  ['pull-request'] = "the pull request's target",
  upstream = "the branch's upstream",
  ['latest-merge-base'] = 'the latest merge base with a main branch',
  head = 'the last commit',
  ['empty-tree'] = 'no commits yet',
}

--- By client, then by the URI of the repository's root.
local known = {}

--- Keep a status, tell whoever waits for `User RoundZeroStatus`, and draw the status lines anew. We add `settled`:
--- whether a first review has come to its end; until then a verdict says only what was found so far.
function M.receive(client, status)
  known[client] = known[client] or {}
  local before = known[client][status.uri]
  status.settled = not status.running or (before and before.settled) or false
  known[client][status.uri] = status
  vim.api.nvim_exec_autocmds('User', { pattern = 'RoundZeroStatus', modeline = false, data = status })
  vim.cmd.redrawstatus({ bang = true })
end

--- Forget a client that has gone.
function M.forget(client)
  known[client] = nil
  vim.schedule(function() vim.cmd.redrawstatus({ bang = true }) end)
end

--- Every status of a client.
function M.all(client)
  return vim.tbl_values(known[client] or {})
end

--- The status of the deepest repository that holds a buffer; nil when none is known.
function M.of(buffer)
  local uri, best = vim.uri_from_bufnr(buffer), nil
  for _, client in ipairs(vim.lsp.get_clients({ name = 'roundzero', bufnr = buffer })) do
    for root, status in pairs(known[client.id] or {}) do
      if vim.startswith(uri, root .. '/') and (not best or #root > #best.uri) then
        best = status
      end
    end
  end
  return best
end

--- The numbers of findings, gravest first, without zeros: "P1:2 P3:1".
function M.counts(status)
  local some = {}
  for _, severity in ipairs(SEVERITIES) do
    if status.counts[severity] > 0 then
      table.insert(some, severity .. ':' .. status.counts[severity])
    end
  end
  return table.concat(some, ' ')
end

--- One line: the verdict, `*` when the last round was of other texts, the numbers, and what keeps it from working.
function M.line(status)
  if status.paused then
    return 'paused'
  end
  local verdict = status.verdict
  local word = verdict and verdict.status .. (verdict.stale and '*' or '') or 'no verdict'
  local words = { status.settled == false and '…' or word, M.counts(status) }
  local model = status.model.state
  table.insert(words, model ~= 'off' and model ~= 'idle' and 'model ' .. model or '')
  table.insert(words, #status.problems > 0 and '!' or '')
  return table.concat(vim.tbl_filter(function(each) return each ~= '' end, words), ' ')
end

--- Everything a person may ask: a list of { text = ..., wrong = boolean }.
function M.details(status)
  local lines = {}
  local function add(wrong, text, ...)
    table.insert(lines, { wrong = wrong, text = text:format(...) })
  end
  add(false, '%s', M.line(status))
  for _, reason in ipairs(status.verdict and status.verdict.reasons or {}) do
    add(false, '%s', reason)
  end
  local base = status.base
  if base then
    local commit = base.merge_base and ' at ' .. base.merge_base:sub(1, 10) or ''
    add(false, 'base %s%s, %s', base.ref or 'none', commit, HOW[base.how] or base.how)
    for _, doubt in ipairs(base.doubts) do
      add(true, '%s', doubt)
    end
  end
  if status.coverage then
    add(false, '%d of %d changed files reviewed', status.coverage.reviewed, status.coverage.files)
    for _, skip in ipairs(status.coverage.skipped) do
      add(skip.kind == 'not-checked', '%s: %s', skip.path, skip.reason)
    end
  end
  if status.hidden > 0 then
    add(false, 'hidden: %d (old, dismissed or out of scope)', status.hidden)
  end
  if status.round.index then
    add(false, 'round %d', status.round.index)
  end
  local stage = status.model.stage
  add(false, 'model %s', status.model.state .. (type(stage) == 'string' and ': ' .. stage or ''))
  for _, problem in ipairs(status.problems) do
    add(true, '%s', problem)
  end
  return lines
end

return M
