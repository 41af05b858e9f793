-- The server's program is not there; a person opens two files and asks for something.
story.tell(function()
  local file = vim.api.nvim_buf_get_name(0)
  story.await('a message', function() return #story.seen.said > 0 end)
  vim.cmd.edit(vim.fn.fnamemodify(file, ':h') .. '/other.py')
  vim.cmd.edit(file)
  story.seen.said_at_opening = story.seen.said
  story.seen.said = {}
  vim.cmd('RoundZero review')
  story.seen.asked_for = story.heard('Round Zero')
  story.seen.statusline = require('roundzero').statusline()
  vim.cmd('checkhealth roundzero')
  story.seen.health = story.lines()
end)
