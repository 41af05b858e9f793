-- A person at a terminal: an inner Neovim with its real screen, drawn into a terminal buffer of this one.
story.tell(function()
  local seen = story.seen
  local inner = { vim.v.progpath, '--clean', '-i', 'NONE', '-n', '-u', vim.env.STORY_INNER, vim.env.STORY_FILE }
  vim.o.columns, vim.o.lines = 100, 30
  vim.cmd.enew()
  local job = vim.fn.jobstart(inner, { term = true })
  local screen = vim.api.nvim_get_current_buf()
  local function shows(words)
    story.await(words, function() return table.concat(story.lines(screen), '\n'):find(words, 1, true) end)
    return vim.tbl_map(function(line) return (line:gsub('%s+$', '')) end, story.lines(screen))
  end
  -- Keys that do something with a finding come after the mark and the numbers are back, and not before.
  local function gone(words)
    story.await('no ' .. words, function() return not table.concat(story.lines(screen), '\n'):find(words, 1, true) end)
  end
  local function keys(text) vim.fn.chansend(job, vim.keycode(text)) end

  shows('RZ LGTM P2:1')
  seen.mark = shows('one default object')
  keys(']d')
  keys('K')
  seen.hover = shows('Brought by this branch')
  keys('<Esc>gra')
  seen.menu = shows('Dismiss python/mutable-default: ')
  keys('1<CR>')
  seen.fixed = shows('cache is None')
  gone('one default object')
  gone('P2:1')
  shows('RZ LGTM')
  keys('u')
  shows('RZ LGTM P2:1')
  shows('one default object')
  keys(':RoundZero dis<Tab> int<Tab><CR>')
  seen.dismissed = shows('Round Zero: dismissed')
  keys(':RoundZero findings<CR>')
  shows('no findings')
  keys(':RoundZero report<CR>')
  seen.report = shows('# Round Zero: ')
  keys(':wqall<CR>')
  seen.status = vim.fn.jobwait({ job }, 60000)[1]
end)
