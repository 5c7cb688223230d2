local json = require("json")
local cart = require "shop.cart"
local M = {}
local LIMIT = 10
--- Adds.
-- @param x one
function M.add(x, y)
  local z = helper(x)
  return z:touch(y) + M.total(z).n
end
function M:go(a) end
local function inner() end
function top() end
M.other = function(a) return a end
M.Table = { f = function() end, x = 1 }
return M
