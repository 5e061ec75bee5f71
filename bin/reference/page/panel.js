const part = (id) => document.getElementById(id);

const element = (name, attributes, ...children) => {
  const made = Object.assign(document.createElement(name), attributes);
  made.append(...children);
  return made;
};

const time = (at) => element('time', { title: at }, new Date(at).toLocaleTimeString('en-GB'));

const row = (title, status, id, at, ...content) => {
  const head = [element('b', {}, title), element('span', { className: status }, status)];
  const summary = element('summary', {}, ...head, element('code', {}, id), time(at));
  return element('details', { id }, summary, ...content);
};

/** A sandbox or a delivery attempt. */
const effectRow = ({ id, states, request }) => {
  const last = states.at(-1);
  const { name = last.data.offer, status, reason = '' } = last.data;
  const origin = request
    ? `${request.method} ${request.path} ${request.status} in ${request.durationMs} ms, Request-Id ${request.requestId}`
    : `By ${states[0].actor}, request id ${states[0].request_id}`;
  const list = states.map((state) => element('li', {}, `${state.data.status} `, time(state.time)));
  const made = row(name, status, id, last.time);
  made.append(element('ol', {}, ...list), element('p', {}, reason), element('code', {}, origin));
  if (states.some(({ type }) => type === 'delivery_attempt.sent')) {
    const button = element('button', { type: 'button' }, 'Read the e-mail');
    button.addEventListener('click', () => showMail(id));
    made.append(element('p', {}, button));
  }
  return made;
};

const recordRow = (record) => {
  const { id, timestamp, payment_request, offer = payment_request, error, ...facts } = record;
  const { result = 'refused', version, stored_version: stored = 'none' } = facts;
  const sentences = [
    error?.message ?? `Version ${version}, and the table had ${stored}.`,
    facts.mail === 'none' && 'Sent without a mail.',
    facts.differs_from_approved && `Kept as approved: ${facts.differs_from_approved}.`,
  ];
  const text = sentences.filter(Boolean).join(' ');
  return row(offer ?? 'a message', result, id, timestamp, element('p', {}, text));
};

const eventRow = (event) =>
  row(event.type, '', event.id, event.time, element('pre', {}, JSON.stringify(event, null, 2)));

const queueRow = ({ name, own, deadLetters }) => {
  const cell = (number = '–') => element('td', {}, String(number));
  const dead = deadLetters.visible + deadLetters.inFlight;
  const cells = [cell(own?.visible), cell(own?.inFlight), cell(dead)];
  if (dead > 0) cells[2].className = 'failed';
  return element('tr', {}, element('th', { scope: 'row' }, name), ...cells);
};

let isFirst = true;
let news = 0;
const isShown = () => document.body.classList.contains('with-panel');

/** Changes only rows that differ: a click or the focus on another one is not lost. */
const fill = (list, items, toRow) => {
  for (const old of [...list.children]) if (!items.some(({ id }) => id === old.id)) old.remove();
  for (const item of items.toReversed()) {
    const content = JSON.stringify(item);
    const old = part(item.id);
    if (old?.content === content) continue;
    const made = Object.assign(toRow(item), { content, open: old?.open ?? false });
    const isFocused = old?.contains(document.activeElement);
    if (old) old.replaceWith(made);
    else list.prepend(made);
    if (isFocused) made.firstElementChild.focus();
    if (item.states && !isFirst && !isShown()) news += 1;
  }
  part('news').textContent = news > 0 ? ` · ${news}` : '';
};

const toggle = (visible) => {
  document.body.classList.toggle('with-panel', visible);
  part('toggle').ariaExpanded = String(visible);
  news = 0;
  part('news').textContent = '';
};
const wide = matchMedia('(min-width: 1200px)');
wide.addEventListener('change', () => toggle(wide.matches));
part('toggle').addEventListener('click', () => toggle(!isShown()));
// Where the panel covers the reference, a link leads to it.
part('panel').addEventListener('click', ({ target }) => {
  if (target.closest('a') && !wide.matches) toggle(false);
});
toggle(wide.matches);

const lost = { subject: 'No e-mail', from: '–', to: [], text: 'The mailbox no longer has it.' };
const showMail = async (attempt) => {
  const response = await fetch(`mails/${attempt}`);
  const { subject, from, to, text } = response.ok ? await response.json() : lost;
  part('mail-subject').textContent = subject;
  part('mail-head').textContent = `From ${from} to ${to.join(', ')}`;
  part('mail-text').textContent = text;
  part('mail').showModal();
};

const connect = (isUp) => {
  part('connection').textContent = isUp ? 'Running' : 'Stopped';
  part('connection').className = isUp ? 'ready' : 'failed';
  part('alarm').hidden = isUp;
};
const source = new EventSource('live');
source.onopen = () => connect(true);
source.onerror = () => connect(false);
source.onmessage = ({ data }) => {
  const { sandboxes, deliveries, records, events, queues } = JSON.parse(data);
  fill(part('sandboxes'), sandboxes, effectRow);
  fill(part('deliveries'), deliveries, effectRow);
  fill(part('records'), records, recordRow);
  fill(part('events'), events, eventRow);
  part('queues').replaceChildren(...queues.map(queueRow));
  isFirst = false;
};
