local hs = { status = "Progressing", message = "Waiting for Sickbay to look at it" }
if obj.status == nil or obj.status.observedGeneration ~= obj.metadata.generation then
  return hs
end
for _, condition in ipairs(obj.status.conditions or {}) do
  if condition.type == "Accepted" then
    hs.message = condition.message
    if condition.status == "True" then
      hs.status = "Healthy"
    else
      hs.status = "Degraded"
    end
  end
end
return hs
