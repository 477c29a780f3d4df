// Talk to the workspace: read what one person sees, and send what that person does.

let user = sessionStorage.getItem("workspace-user") ?? "ana";

export const currentUser = () => user;

export function setUser(name) {
  user = name;
  sessionStorage.setItem("workspace-user", name);
}

export async function readState() {
  const answer = await fetch(`/ui/state?user=${encodeURIComponent(user)}`);
  if (!answer.ok) throw new Error((await answer.json()).error);
  return answer.json();
}

export async function send(verb, body = {}) {
  const answer = await fetch(`/ui/${verb}`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ user, ...body }),
  });
  const decoded = await answer.json();
  if (!answer.ok) throw new Error(decoded.error);
  return decoded.answer;
}

// Call back on every change; reconnect when the connection is lost.
export function listen(onChange, onLost) {
  const socket = new WebSocket(`ws://${location.host}/ui/live`);
  socket.onmessage = () => onChange();
  socket.onclose = () => {
    onLost();
    setTimeout(() => listen(onChange, onLost), 1000);
  };
}
