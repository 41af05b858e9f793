-- A person goes through all of :RoundZero. The change has three findings in the open file, two of
-- them on one line, and a conflict in another.
story.tell(function()
  local seen = story.seen
  local statusline = require('roundzero').statusline
  seen.statusline_before = statusline()
  seen.marks = story.marks(3)
  seen.statusline = story.status('BLOCKED P0:1 P2:3')
  vim.wo.statusline = "%{v:lua.require'roundzero'.statusline()}"
  seen.drawn = vim.api.nvim_eval_statusline(vim.wo.statusline, {}).str

  vim.cmd('RoundZero review')
  seen.review = story.heard('BLOCKED')
  vim.cmd('RoundZero review staged')
  seen.staged = story.heard('base')
  vim.cmd('RoundZero review nonsense')
  seen.nonsense = story.heard('scope')

  vim.api.nvim_win_set_cursor(0, { 2, 0 })
  vim.cmd('RoundZero dismiss')
  seen.nothing_here = story.heard('no finding')

  local at = seen.marks[1]
  vim.api.nvim_win_set_cursor(0, { at.line, at.column })
  vim.cmd('RoundZero copy a')
  story.heard('register a')
  seen.comment = vim.fn.getreg('a')
  vim.cmd('RoundZero explain')
  seen.explained = story.float()
  vim.cmd('RoundZero answer yes')
  seen.asks_nothing = story.heard('asks nothing')

  story.choices = { 'another reason', 'tests clear it' }
  vim.cmd('RoundZero dismiss')
  seen.dismissed = story.heard('dismissed')
  seen.after_dismiss = story.marks(2)

  vim.cmd('RoundZero findings')
  story.await('quickfix', function() return #vim.fn.getqflist() > 0 end)
  seen.quickfix = vim.tbl_map(function(each)
    local name = each.bufnr > 0 and vim.fn.fnamemodify(vim.fn.bufname(each.bufnr), ':t') or ''
    return { file = name, line = each.lnum, column = each.col, text = each.text, type = each.type }
  end, vim.fn.getqflist())
  seen.quickfix_window = vim.bo.filetype
  vim.cmd.cclose()

  story.choices = { 'a.py' }
  vim.cmd('RoundZero reopen')
  seen.reopened = story.heard('open')
  seen.after_reopen = story.marks(3)

  local id = seen.dismissed:match('rz%-%w+')
  vim.cmd('RoundZero dismiss later')
  story.heard('dismissed')
  story.marks(2)
  vim.cmd('RoundZero reopen ' .. id)
  story.heard('open')
  story.marks(3)
  vim.cmd('RoundZero reopen')
  seen.nothing_dismissed = story.heard('nothing')

  vim.cmd('vertical RoundZero report')
  story.await('the report', function() return vim.bo.filetype == 'markdown' end)
  seen.report = story.lines()
  seen.report_buffer = { vim.bo.buftype, vim.bo.modifiable, vim.api.nvim_buf_get_name(0), vim.fn.winnr('$') }
  vim.cmd.wincmd('p')
  vim.cmd('RoundZero report')
  story.await('the same report', function() return vim.bo.filetype == 'markdown' end)
  seen.report_windows = vim.fn.winnr('$')
  vim.cmd.close()

  story.status('BLOCKED P0:1 P2:3')
  vim.cmd('RoundZero status')
  seen.status = story.float()
  vim.cmd('RoundZero')
  seen.bare = story.float()

  vim.api.nvim_win_set_cursor(0, { seen.marks[2].line, 0 })
  story.choices = { 'bare-except' }
  vim.cmd('RoundZero copy')
  story.heard('register "')
  seen.chosen_comment = vim.fn.getreg('"')

  vim.cmd('RoundZero pause')
  story.heard('paused')
  story.status('^RZ paused$')
  vim.cmd('RoundZero resume')
  story.heard('goes on')
  story.status('BLOCKED P0:1 P2:3')
  vim.cmd('RoundZero stop')
  story.heard('stopped')
  vim.cmd('RoundZero recheck')
  seen.recheck = story.heard('BLOCKED')

  local function base_is(ref)
    story.await('base ' .. ref, function()
      return vim.tbl_get(require('roundzero').status(0) or {}, 'base', 'ref') == ref
    end)
  end
  story.choices = { 'other' }
  vim.cmd('RoundZero base')
  seen.picked = story.heard('other')
  base_is('other')
  vim.cmd('RoundZero base auto')
  seen.automatic = story.heard('automatic')
  base_is('main')
  story.marks(3)
  vim.cmd('RoundZero base no-such-ref')
  seen.wrong_base = story.heard('no-such-ref')

  local window = vim.api.nvim_get_current_win()
  vim.cmd('RoundZero diff')
  story.await('the base', function() return vim.fn.winnr('$') == 2 end)
  seen.base = story.lines(vim.api.nvim_win_get_buf(vim.fn.win_getid(1)))
  seen.comparing = vim.wo[window].diff
  vim.api.nvim_win_close(vim.fn.win_getid(1), true)
  seen.comparing_after = vim.wo[window].diff
  vim.lsp.buf.code_action({ apply = true, filter = function(action) return action.title:find('base version') end })
  story.await('the base by a code action', function() return vim.fn.winnr('$') == 2 end)
  vim.api.nvim_win_close(vim.fn.win_getid(1), true)

  vim.cmd('RoundZero log')
  seen.log = { vim.api.nvim_buf_get_name(0), vim.bo.filetype }
  vim.cmd.close()

  vim.cmd('RoundZero dance')
  seen.unknown = story.heard('dance')
  seen.complete = {
    names = vim.fn.getcompletion('RoundZero ', 'cmdline'),
    lead = vim.fn.getcompletion('RoundZero re', 'cmdline'),
    scope = vim.fn.getcompletion('vertical RoundZero review st', 'cmdline'),
    depth = vim.fn.getcompletion('RoundZero review d', 'cmdline'),
    reason = vim.fn.getcompletion('RoundZero dismiss ', 'cmdline'),
    base = vim.fn.getcompletion('RoundZero base o', 'cmdline'),
    none = vim.fn.getcompletion('RoundZero pause ', 'cmdline'),
  }

  story.status('BLOCKED P0:1 P2:3')
  vim.cmd('checkhealth roundzero')
  seen.health = story.lines()
end)
