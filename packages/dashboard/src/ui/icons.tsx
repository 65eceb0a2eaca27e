import type { ReactNode } from 'react';

/** Drawn for 20 pixels; words stand beside every icon, so none is read aloud. */
function Icon({ children }: { children: ReactNode }) {
  return (
    <svg
      width="20"
      height="20"
      viewBox="0 0 20 20"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.6"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
    >
      {children}
    </svg>
  );
}

export const LogoIcon = () => (
  <Icon>
    <path d="M3.5 14.5h5l3-8h5" stroke="var(--accent)" strokeWidth="2" />
    <circle cx="3.5" cy="14.5" r="1.6" fill="var(--accent)" stroke="none" />
    <circle cx="10" cy="10.5" r="2" fill="var(--accent)" stroke="none" />
    <circle cx="16.5" cy="6.5" r="1.6" fill="var(--accent)" stroke="none" />
  </Icon>
);

export const HomeIcon = () => (
  <Icon>
    <path d="M2.5 5.5 7.5 3.5l5 2 5-2v11l-5 2-5-2-5 2zM7.5 3.5v11M12.5 5.5v11" />
  </Icon>
);

export const PackageIcon = () => (
  <Icon>
    <path d="m10 2.5 6.5 3.5v8L10 17.5 3.5 14V6zM3.5 6 10 9.5 16.5 6M10 9.5v8M6.75 4.25l6.5 3.5" />
  </Icon>
);

export const PostIcon = () => (
  <Icon>
    <path d="M10 12.500v-9M6.500 7 10 3.500 13.500 7M3.500 12v4.500h13V12" />
  </Icon>
);

export const CarryIcon = () => (
  <Icon>
    <path d="M4 14H2.500V5.500h9V14H8M11.500 8.500H15l2.500 2.500v3H16M11.500 14h.500" />
    <circle cx="6" cy="14.500" r="1.600" />
    <circle cx="14" cy="14.500" r="1.600" />
  </Icon>
);

export const TaskIcon = () => (
  <Icon>
    <path d="M8.5 5h8M8.5 10h8M8.5 15h8M3 5l1 1 2-2M3 10l1 1 2-2" />
    <circle cx="4.25" cy="15" r="1.1" />
  </Icon>
);

export const AgentIcon = () => (
  <Icon>
    <circle cx="7.5" cy="7" r="3" />
    <path d="M2.5 16.5c.5-3 2.5-4.5 5-4.5s4.5 1.5 5 4.500M13 4.300a3 3 0 0 1 0 5.400M15 12.500c1.5.7 2.3 2.1 2.5 4" />
  </Icon>
);

export const TurnIcon = () => (
  <Icon>
    <circle cx="10" cy="10" r="7" />
    <path d="M10 5.500v4.500l3 2" />
  </Icon>
);

export const RewardIcon = () => (
  <Icon>
    <circle cx="10" cy="7.5" r="5" />
    <path d="m7 11.5-1 6 4-2 4 2-1-6" />
  </Icon>
);

export const CodeIcon = () => (
  <Icon>
    <path d="m6.5 6-4 4 4 4M13.5 6l4 4-4 4M11.5 4l-3 12" />
  </Icon>
);

export const ThemeIcon = () => (
  <Icon>
    <circle cx="10" cy="10" r="6.5" />
    <path d="M10 3.500v13a6.5 6.5 0 0 0 0-13z" fill="currentColor" />
  </Icon>
);

export const CopyIcon = () => (
  <Icon>
    <rect x="7" y="7" width="9.5" height="9.5" rx="2" />
    <path d="M13 7V5.500a2 2 0 0 0-2-2H5.500a2 2 0 0 0-2 2V11a2 2 0 0 0 2 2H7" />
  </Icon>
);

/** Beside text, as high as it. */
function Mark({ children }: { children: ReactNode }) {
  return (
    <svg
      width="0.875em"
      height="0.875em"
      viewBox="0 0 14 14"
      fill="none"
      stroke="currentColor"
      strokeWidth="2"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
    >
      {children}
    </svg>
  );
}

export const HoldsIcon = () => (
  <Mark>
    <path d="m2 7.5 3.5 3.5L12 3.5" />
  </Mark>
);

export const DiffersIcon = () => (
  <Mark>
    <path d="m3 3 8 8M11 3l-8 8" />
  </Mark>
);

export const OpenIcon = () => (
  <Mark>
    <path d="m5 3 4 4-4 4" />
  </Mark>
);

export const KeyboardIcon = () => (
  <Icon>
    <rect x="2" y="5" width="16" height="10" rx="2" />
    <path d="M5 8h.01M8.3 8h.01M11.6 8h.01M15 8h.01M5 12h.01M7.5 12h5M15 12h.01" />
  </Icon>
);

export const SearchIcon = () => (
  <Icon>
    <circle cx="9" cy="9" r="5.5" />
    <path d="m13.2 13.2 3.8 3.8" />
  </Icon>
);

export const FitIcon = () => (
  <Icon>
    <path d="M3.5 7.5v-4h4M12.5 3.5h4v4M16.5 12.5v4h-4M7.5 16.5h-4v-4" />
  </Icon>
);
