-- :RoundZero and its sub-commands. Each says what it did in few words; the server's commands do the work.
local M = {}

local talk = require('roundzero.talk')
local findings = require('roundzero.findings')

local AUTOMATIC = 'auto'
local SCOPES = { 'worktree', 'staged', 'committed' }
local DEPTHS = { 'off', 'quick', 'deep' }
local REASONS = { 'false-positive', 'intended', 'later' }
local OTHER = 'another reason'
local PATIENCE = 10000 -- milliseconds

local function show_state(statuses)
  for _, status in ipairs(statuses) do
    local base = status.base and status.base.ref and ', base ' .. status.base.ref or ''
    talk.say(require('roundzero.status').line(status) .. base)
  end
end

--- Names of branches, then of remote branches, then of tags, latest first; without what only points to another one, as
--- origin/HEAD does. Annotated tags have a creatordate, but no committerdate.
local function refs()
  local client = talk.client()
  local options = { cwd = client and client.root_dir, text = true }
  local format = '%(if)%(symref)%(then)%(else)%(refname:short)%(end)'
  local names = {}
  for _, kind in ipairs({ 'refs/heads', 'refs/remotes', 'refs/tags' }) do
    local list = { 'git', '-c', 'core.fsmonitor=false', 'for-each-ref', '--sort=-creatordate', '--format=' .. format, kind }
    local started, process = pcall(vim.system, list, options)
    local done = started and process:wait(PATIENCE)
    local lines = done and done.code == 0 and vim.split(done.stdout, '\n', { trimempty = true }) or {}
    vim.list_extend(names, vim.tbl_filter(function(name) return name ~= '' end, lines))
  end
  return names
end

--- The answer comes before the review against that base has run; its outcome comes as a status.
local function select_base(ref)
  local automatic = ref == AUTOMATIC
  talk.command('selectBase', { ref = automatic and vim.NIL or ref }, function()
    talk.say(automatic and 'the base is chosen automatically' or 'compares with ' .. ref)
  end)
end

local function dismiss(reason)
  findings.under_cursor(function(id)
    local function done(answer)
      talk.say(('%s; undo: :RoundZero reopen %s'):format(answer.state, id))
    end
    local function send(why) talk.command('dismiss', { id = id, reason = why }, done) end
    if reason ~= '' then
      return send(reason)
    end
    vim.ui.select(vim.list_extend(vim.deepcopy(REASONS), { OTHER }), { prompt = 'Why dismiss it?' }, function(choice)
      if choice == OTHER then
        vim.ui.input({ prompt = 'Reason: ' }, function(text)
          if text and vim.trim(text) ~= '' then
            send(text)
          end
        end)
      elseif choice then
        send(choice)
      end
    end)
  end)
end

local function reopen(id)
  talk.command('reopen', { id = id }, function(answer) talk.say(('%s is %s'):format(id, answer.state)) end)
end

local function copy(register)
  findings.under_cursor(function(id)
    talk.command('copy', { id = id }, function(text)
      vim.fn.setreg(register, text)
      talk.say(('the comment is in register %s'):format(register))
    end)
  end)
end

--- What the finding under the cursor is about, in full; a hover says the same of what the cursor is exactly on.
local function explain()
  findings.under_cursor(function(id)
    talk.command('explain', { id = id }, function(text)
      require('roundzero.windows').float(vim.split(text, '\n', { plain = true }))
    end)
  end)
end

--- Answer a question that a model left open; the model is asked again then.
local function answer(text)
  findings.questions(function(id, question)
    local function send(said)
      if said and vim.trim(said) ~= '' then
        talk.command('answer', { id = id, question = question, text = said }, function(done)
          talk.say(('answered; %s is %s'):format(id, done.state))
        end)
      end
    end
    if text ~= '' then
      return send(text)
    end
    vim.ui.input({ prompt = question .. ' ' }, send)
  end)
end

local function report(mods)
  talk.command('report', { format = 'markdown' }, function(text)
    -- The first line is a mark by which a pull request's comment is found again; here it would only be seen.
    local lines = vim.split(text:gsub('^<!%-%- roundzero:report %-%->\n', ''), '\n', { plain = true })
    require('roundzero.windows').show('report', lines, 'markdown', mods)
  end)
end

local function status()
  talk.command('status', nil, function(statuses)
    local lines = {}
    for _, each in ipairs(statuses) do
      table.insert(lines, '**' .. vim.uri_to_fname(each.uri) .. '**')
      for _, detail in ipairs(require('roundzero.status').details(each)) do
        table.insert(lines, '- ' .. detail.text:gsub('\n', ' '))
      end
    end
    require('roundzero.windows').float(lines)
  end)
end

--- By name: what it does with its argument and the command's modifiers, and what completes the argument.
M.subcommands = {
  review = {
    run = function(how)
      local key = vim.tbl_contains(DEPTHS, how) and 'depth' or 'scope'
      talk.command('review', how ~= '' and { [key] = how } or nil, show_state)
    end,
    complete = function() return vim.list_extend(vim.list_extend({}, SCOPES), DEPTHS) end,
  },
  stop = { run = function() talk.command('stop', nil, function() talk.say('stopped') end) end },
  pause = { run = function() talk.command('pause', nil, function() talk.say('paused') end) end },
  resume = { run = function() talk.command('resume', nil, function() talk.say('goes on') end) end },
  base = {
    run = function(ref)
      if ref ~= '' then
        return select_base(ref)
      end
      vim.ui.select(vim.list_extend({ AUTOMATIC }, refs()), { prompt = 'Compare with' }, function(choice)
        if choice then
          select_base(choice)
        end
      end)
    end,
    complete = function() return vim.list_extend({ AUTOMATIC }, refs()) end,
  },
  diff = { run = function() require('roundzero.windows').diff(vim.api.nvim_get_current_buf()) end },
  dismiss = { run = dismiss, complete = function() return REASONS end },
  reopen = {
    run = function(id)
      if id ~= '' then
        return reopen(id)
      end
      findings.dismissed(reopen)
    end,
  },
  recheck = { run = function() talk.command('recheck', nil, show_state) end },
  explain = { run = explain },
  answer = { run = answer },
  copy = { run = function(register) copy(register ~= '' and register or vim.v.register) end },
  findings = { run = findings.quickfix },
  report = { run = function(_, mods) report(mods) end },
  status = { run = status },
  log = {
    run = function(_, mods)
      require('roundzero.windows').show('log', require('roundzero.log').lines(), 'log', mods)
      vim.cmd.normal({ 'G', bang = true })
    end,
  },
}

--- Run `:RoundZero NAME ARGUMENT`; without a name it shows the status.
function M.run(call)
  local name, argument = call.args:match('^%s*(%S*)%s*(.-)%s*$')
  local subcommand = M.subcommands[name ~= '' and name or 'status']
  if not subcommand then
    return talk.warn(('there is no :RoundZero %s; :help roundzero lists what there is'):format(name))
  end
  subcommand.run(argument, call.smods)
end

--- Complete a name, or what its sub-command takes.
function M.complete(lead, line)
  local name = line:match('^.*%f[%a]RoundZero%s+(%S+)%s')
  local subcommand = M.subcommands[name]
  local words = not name and vim.tbl_keys(M.subcommands) or subcommand and subcommand.complete and subcommand.complete()
  local fitting = vim.tbl_filter(function(word) return vim.startswith(word, lead) end, words or {})
  if not name then
    table.sort(fitting)
  end
  return fitting
end

return M
