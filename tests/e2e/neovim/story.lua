-- What the stories of this folder share. A story drives Neovim as a person does, waits for states with a limit, and
-- what it saw goes to the file $STORY_SEEN as JSON. Loaded as the configuration (-u): it is all the set-up there is.
-- The limit ends what hangs; a machine that is merely slow does not reach it.
local LIMIT = 90000
local seen = {}
_G.story = { seen = seen }

vim.opt.runtimepath:prepend(vim.env.STORY_PLUGIN)
vim.o.swapfile = false

--- What was said, and what was chosen where there was a choice: the next of `choices`.
seen.said, seen.asked, story.choices = {}, {}, {}
vim.notify = function(text) table.insert(seen.said, text) end
vim.ui.select = function(items, options, take)
  local shown = vim.tbl_map(options.format_item or tostring, items)
  table.insert(seen.asked, { prompt = options.prompt, items = shown })
  local wanted = table.remove(story.choices, 1)
  for at, text in ipairs(shown) do
    if wanted and text:find(wanted, 1, true) then
      return take(items[at], at)
    end
  end
  take(nil)
end
vim.ui.input = function(_, take) take(table.remove(story.choices, 1)) end

function story.await(what, condition)
  if not vim.wait(LIMIT, condition, 20) then
    error('waited in vain for ' .. what .. '; said so far: ' .. vim.inspect(seen.said), 0)
  end
end

--- Wait until something was said that holds these words, and forget what was said.
function story.heard(words)
  local text
  story.await('"' .. words .. '"', function()
    text = vim.iter(seen.said):find(function(each) return each:find(words, 1, true) end)
    return text ~= nil
  end)
  seen.said = {}
  return text
end

function story.diagnostics(buffer)
  return vim.tbl_map(
    function(each) return { line = each.lnum + 1, column = each.col, item = each.code, source = each.source } end,
    vim.diagnostic.get(buffer or 0)
  )
end

--- Wait until the buffer has as many diagnostics, and give them.
function story.marks(number)
  story.await(number .. ' diagnostics', function() return #story.diagnostics() == number end)
  return story.diagnostics()
end

--- Wait until the status line holds this pattern, and give it: the server told of a whole review, not of one file.
function story.status(pattern)
  local statusline = require('roundzero').statusline
  story.await('the status line ' .. pattern, function() return statusline():find(pattern) end)
  return statusline()
end

function story.lines(buffer) return vim.api.nvim_buf_get_lines(buffer or 0, 0, -1, false) end

--- The lines of the floating window that is or comes up; it is closed.
function story.float()
  local lines
  story.await('a floating window', function()
    for _, window in ipairs(vim.api.nvim_list_wins()) do
      if vim.api.nvim_win_get_config(window).relative ~= '' then
        lines = story.lines(vim.api.nvim_win_get_buf(window))
        vim.api.nvim_win_close(window, true)
        return true
      end
    end
    return false
  end)
  return lines
end

--- The end of a file, empty where there is none: Neovim's own log has what a server wrote before it died.
local function last_lines(file)
  local went, lines = pcall(vim.fn.readfile, file, '', -20)
  return went and lines or {}
end

--- Run a story and end Neovim: with status 1 when something went wrong, and without a server left in any case.
function story.tell(telling)
  vim.schedule(function()
    local went, problem = xpcall(telling, debug.traceback)
    if not went then
      seen.failed = tostring(problem)
      seen.server_said = { require('roundzero.log').lines(), last_lines(vim.lsp.log.get_filename()) }
    end
    vim.cmd('silent! %bwipeout!')
    for _, client in ipairs(vim.lsp.get_clients()) do
      client:stop()
    end
    seen.stopped = vim.wait(LIMIT, function() return #vim.lsp.get_clients() == 0 end, 20)
    vim.fn.writefile({ vim.json.encode(seen) }, vim.env.STORY_SEEN)
    vim.cmd('cquit ' .. (went and 0 or 1))
  end)
end

if (vim.env.STORY_COMMAND or '') ~= '' then
  vim.lsp.config('roundzero', { cmd = { vim.env.STORY_COMMAND, 'lsp' } })
end
if not vim.env.STORY_PLAIN then
  vim.lsp.enable('roundzero')
end
