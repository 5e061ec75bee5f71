// The reference in the frame stores the scheme that is chosen there; without a choice both follow
// the system.
const followScheme = () => {
  document.documentElement.style.colorScheme = localStorage.getItem('colorMode') ?? '';
};
followScheme();
addEventListener('storage', followScheme);
