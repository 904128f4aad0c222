local hs = { status = "Progressing", message = "Waiting for Sickbay to look at it" }
if obj.status == nil then
  return hs
end
for _, condition in ipairs(obj.status.conditions or {}) do
  if condition.type == "Succeeded" then
    hs.message = condition.message
    if condition.status == "True" then
      hs.status = "Healthy"
    elseif condition.status == "False" then
      hs.status = "Degraded"
    elseif condition.reason == "Holding" then
      -- The host stays off until somebody asks for more.
      hs.status = "Suspended"
    end
  end
end
return hs
