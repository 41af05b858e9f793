-- Findings as Neovim has them: ordinary diagnostics of the server's namespace. What they lack, the server is asked.
local M = {}

local talk = require('roundzero.talk')

local function diagnostics(client, buffer, options)
  local namespace = vim.lsp.diagnostic.get_namespace(client.id)
  return vim.diagnostic.get(buffer, vim.tbl_extend('force', { namespace = namespace }, options or {}))
end

local function id_of(diagnostic)
  return vim.tbl_get(diagnostic, 'user_data', 'lsp', 'data', 'id')
end

local function title_of(diagnostic)
  return ('%s: %s'):format(diagnostic.code, diagnostic.message)
end

--- Hand over the id of the finding under the cursor, or of the one that is chosen where several are on the line.
function M.under_cursor(take)
  local client = talk.client()
  if not client then
    return talk.warn(talk.reason())
  end
  local row, column = unpack(vim.api.nvim_win_get_cursor(0))
  local line = diagnostics(client, 0, { lnum = row - 1 })
  local exact = vim.tbl_filter(function(each) return each.col <= column and column < each.end_col end, line)
  local here = #exact > 0 and exact or line
  if #here == 0 then
    return talk.say('no finding on this line')
  elseif #here == 1 then
    return take(id_of(here[1]))
  end
  vim.ui.select(here, { prompt = 'Which finding?', format_item = title_of }, function(choice)
    if choice then
      take(id_of(choice))
    end
  end)
end

--- Hand over the id of the finding under the cursor and a question that it asks; which one is chosen where it asks some.
function M.questions(take)
  M.under_cursor(function(id)
    talk.ask('roundzero/findings', vim.empty_dict(), function(answer)
      local finding = vim.iter(answer.findings):find(function(each) return each.id == id end)
      local asked = vim.tbl_map(function(each) return each.text end, finding and finding.open_questions or {})
      if #asked == 0 then
        return talk.say('this finding asks nothing')
      elseif #asked == 1 then
        return take(id, asked[1])
      end
      vim.ui.select(asked, { prompt = 'Which question?' }, function(choice)
        if choice then
          take(id, choice)
        end
      end)
    end)
  end)
end

--- Hand over the id of a dismissed finding that is chosen.
function M.dismissed(take)
  talk.ask('roundzero/findings', vim.empty_dict(), function(answer)
    local found = vim.tbl_filter(function(each) return each.state == 'dismissed' end, answer.findings)
    if #found == 0 then
      return talk.say('nothing is dismissed')
    end
    local function describe(each)
      return ('%s %s: %s (%s)'):format(each.severity, each.item, each.title, each.path or 'the whole change')
    end
    vim.ui.select(found, { prompt = 'Reopen which?', format_item = describe }, function(choice)
      if choice then
        take(choice.id)
      end
    end)
  end)
end

--- The open findings as quickfix entries, gravest first, then by place.
local function entries(client, findings)
  local placed = {}
  for _, diagnostic in ipairs(diagnostics(client)) do
    placed[id_of(diagnostic) or ''] = vim.diagnostic.toqflist({ diagnostic })[1]
  end
  local list = {}
  for _, finding in ipairs(findings) do
    if finding.state == 'open' then
      local entry = placed[finding.id] or { text = finding.title, valid = 0 }
      entry.text = ('%s %s: %s'):format(finding.severity, finding.item, entry.text)
      table.insert(list, { entry = entry, key = { finding.severity, finding.path or '', entry.lnum or 0, finding.id } })
    end
  end
  table.sort(list, function(one, other)
    for at, value in ipairs(one.key) do
      if value ~= other.key[at] then
        return value < other.key[at]
      end
    end
    return false
  end)
  return vim.tbl_map(function(each) return each.entry end, list)
end

--- Put the open findings into the quickfix list and show it.
function M.quickfix()
  talk.ask('roundzero/findings', vim.empty_dict(), function(answer, client)
    local list = entries(client, answer.findings)
    vim.fn.setqflist({}, ' ', { title = 'Round Zero', items = list })
    vim.cmd('botright cwindow')
    if #list == 0 then
      talk.say('no findings')
    end
  end)
end

return M
