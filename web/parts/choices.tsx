/** A few values to choose one from, as buttons beside each other. */

interface ChoicesProps<Value extends string> {
  readonly label: string;
  readonly values: readonly Value[];
  readonly value: string;
  /** What the buttons say. Default: the values. */
  titleOf?(value: Value): string;
  onChoose(value: Value): void;
}

export function Choices<Value extends string>({
  label,
  values,
  value,
  titleOf = (one) => one,
  onChoose,
}: ChoicesProps<Value>) {
  return (
    <fieldset class="choices">
      <legend class="visually-hidden">{label}</legend>
      {values.map((one) => (
        <button type="button" aria-pressed={one === value} onClick={() => onChoose(one)}>
          {titleOf(one)}
        </button>
      ))}
    </fieldset>
  );
}
