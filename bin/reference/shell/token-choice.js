// The reference in the frame reads the token from the storage that the two pages share.
const choice = document.getElementById('token');
const tokens = await fetch('tokens').then((response) => response.json());
choice.append(
  ...Object.entries(tokens).map(([name, token]) => new Option(name.replace('_', ' '), token)),
);
const store = () => sessionStorage.setItem('token', choice.value);
choice.value = sessionStorage.getItem('token') ?? '';
if (choice.selectedIndex < 0) choice.selectedIndex = 0;
store();
choice.addEventListener('change', store);
