-- Time stands still while a script runs, so one look at the clock does for all: `time` in seconds and microseconds, as
-- Redis gives it, and `now` in microseconds.
local time = redis.call('TIME')
local now = time[1] .. string.sub('000000' .. time[2], -6)
