import React from 'react';

type Props = { name: string };

export const Hello: React.FC<Props> = ({ name }) => {
  const onClick = () => {
    alert(name);
  };
  return <button onClick={onClick}>Hello {name}</button>;
};

export default function App() {
  return (
    <div>
      <Hello name="x" />
    </div>
  );
}
