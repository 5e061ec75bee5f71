const part = (id) => document.getElementById(id);

const element = (name, attributes, ...children) => {
  const made = Object.assign(document.createElement(name), attributes);
  made.append(...children);
  return made;
};

const time = (at) =>
  element('time', { dateTime: at, title: at }, new Date(at).toLocaleTimeString('en-GB'));

const badge = (status) => element('span', { className: `status ${status}` }, status);

/** An identifier, an address or a name, which breaks after a separator if it must. */
const code = (text) =>
  element('code', {}, ...text.split(/(?<=[_/])/).flatMap((word) => [word, element('wbr')]));

/** Where the reference describes the operation of a request. */
const operationLink = ({ operation: { anchor, summary } }) =>
  element('a', { href: `reference/${anchor}`, target: 'reference' }, summary);

const requestOf = (request) =>
  request
    ? [
        code(`${request.method} ${request.path}`),
        ` ${request.status} in ${request.durationMs} ms`,
        element('br'),
        'Request-Id ',
        code(request.requestId),
        element('br'),
        operationLink(request),
      ]
    : ['Its request came before this run.'];

/** A row's content, which stays open over a change. */
const disclosure = (key, summary, ...content) => {
  const open = part(key)?.querySelector('details').open ?? false;
  return element('details', { open }, element('summary', {}, ...summary), ...content);
};

const row = (item) => {
  const { key, id, name, states, reason, request, hasMail } = item;
  const details = disclosure(
    key,
    [
      element('span', { className: 'name' }, name),
      badge(states.at(-1).status),
      element('span', { className: 'line' }, code(id), time(states.at(-1).at)),
    ],
    element('ol', {}, ...states.map(({ status, at }) => element('li', {}, `${status} `, time(at)))),
    ...(reason ? [element('p', { className: 'bad' }, reason)] : []),
    element('p', { className: 'request' }, ...requestOf(request)),
  );
  const children = [details];
  if (hasMail) {
    const button = element('button', { type: 'button', id: `mail-${id}` }, 'Read the e-mail');
    button.addEventListener('click', () => showMail(id));
    children.push(button);
  }
  return element('li', { id: key }, ...children);
};

const eventRow = (event) => {
  const { id, type, time: at } = event;
  const line = (...parts) => element('span', { className: 'line' }, ...parts);
  const summary = [line(element('b', {}, type), time(at)), line(code(id))];
  const body = element('pre', {}, code(JSON.stringify(event, null, 2)));
  return element('li', { id }, disclosure(id, summary, body));
};

const fill = (id, items, toRow) => {
  const focused = document.activeElement;
  const path = focused?.closest(`#${id} > li`)?.id;
  part(id).replaceChildren(...items.map(toRow));
  part(id).nextElementSibling.hidden = items.length > 0;
  if (path) part(path)?.querySelector(focused.localName)?.focus();
};

const queueRow = ({ name, waiting = '–', taken = '–', deadLetters }) =>
  element(
    'tr',
    {},
    element('th', { scope: 'row' }, name),
    element('td', {}, String(waiting)),
    element('td', {}, String(taken)),
    element('td', { className: deadLetters > 0 ? 'bad' : '' }, String(deadLetters)),
  );

/** The status of each row when it was shown last; undefined until one was. */
let known;

const show = ({ sandboxes, deliveries, events, queues }) => {
  fill('sandboxes', sandboxes, row);
  fill('deliveries', deliveries, row);
  fill('events', events, eventRow);
  part('queues').replaceChildren(...queues.map(queueRow));
  part('dead-letters-note').hidden = queues.every(({ deadLetters }) => deadLetters === 0);
  const statuses = [...sandboxes, ...deliveries].map(({ key, name, states }) => [
    key,
    `${name}: ${states.at(-1).status}.`,
  ]);
  const news = known ? statuses.filter(([key, status]) => known.get(key) !== status) : [];
  known = new Map(statuses);
  if (news.length === 0) return;
  part('announcement').textContent = news.map(([, status]) => status).join(' ');
  if (!isShown()) count(Number(part('news').textContent) + news.length);
};

const wide = matchMedia('(min-width: 1000px)');
const isShown = () => document.body.classList.contains('with-live');
const count = (unread) => {
  part('news').textContent = unread || '';
  part('news').hidden = unread === 0;
};
const toggle = (visible) => {
  document.body.classList.toggle('with-live', visible);
  part('toggle').ariaExpanded = String(visible);
  if (visible) count(0);
};
part('toggle').addEventListener('click', () => toggle(!isShown()));
part('live').addEventListener('click', ({ target }) => {
  // On a phone the panel covers the reference.
  if (target.target === 'reference' && !wide.matches) toggle(false);
});
wide.addEventListener('change', () => toggle(wide.matches));
toggle(wide.matches);

const lostMail = {
  subject: 'No e-mail',
  from: '–',
  to: ['–'],
  text: 'The mailbox no longer has this e-mail.',
};
const showMail = async (attempt) => {
  const response = await fetch(`mails/${attempt}`).catch(() => Response.error());
  const { subject, from, to, text } = response.ok ? await response.json() : lostMail;
  part('mail-subject').textContent = subject;
  part('mail-head').replaceChildren(
    ...Object.entries({ From: from, To: to.join(', ') }).flatMap(([name, value]) => [
      element('dt', {}, name),
      element('dd', {}, value),
    ]),
  );
  part('mail-text').textContent = text;
  part('back').onclick = () => {
    turn(false);
    part(`mail-${attempt}`)?.focus();
  };
  turn(true);
  part('mail-subject').focus();
};
const turn = (toMail) => {
  part('mail').hidden = !toMail;
  part('overview').hidden = toMail;
};

const connection = (state, text, alarm = '') => {
  part('connection').dataset.state = state;
  part('connection').textContent = text;
  part('alarm').textContent = alarm;
  part('alarm').hidden = alarm === '';
};

// A row that is replaced while the button is pressed on it would not get the click: what comes
// meanwhile is shown when the button is released.
let latest;
let isPressed = false;
const showLatest = () => {
  if (isPressed || !latest) return;
  show(latest);
  latest = undefined;
};
addEventListener('pointerdown', () => {
  isPressed = true;
});
for (const released of ['pointerup', 'pointercancel']) {
  addEventListener(released, () => {
    isPressed = false;
    // After the click.
    setTimeout(showLatest);
  });
}

const source = new EventSource('live');
source.onopen = () => connection('up', 'Running');
source.onerror = () =>
  connection(
    'down',
    'Stopped',
    'The local run has stopped. Start it again with npm start; this page then continues by itself.',
  );
source.onmessage = ({ data }) => {
  latest = JSON.parse(data);
  showLatest();
};
