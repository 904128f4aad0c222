local hs = { status = "Progressing", message = "Waiting for Sickbay to look at it" }
if obj.status == nil or obj.status.observedGeneration ~= obj.metadata.generation then
  return hs
end
for _, condition in ipairs(obj.status.conditions or {}) do
  if condition.type == "Progressing" then
    hs.message = condition.message
    if condition.reason == "Ended" then
      hs.status = "Healthy"
    elseif condition.status ~= "True" then
      -- A person decides, or somebody has paused it.
      hs.status = "Suspended"
    end
  end
end
return hs
