-- Somebody follows every link of the manual.
story.tell(function()
  vim.cmd('help roundzero')
  local seen, links = story.seen, {}
  for _, line in ipairs(story.lines()) do
    for link in line:gmatch('|([^| ]+)|') do
      table.insert(links, link)
    end
  end
  seen.links, seen.dead = links, vim.tbl_filter(function(link) return not pcall(vim.cmd.help, link) end, links)
  seen.subcommands = vim.tbl_keys(require('roundzero.command').subcommands)
end)
