import { Component } from '@angular/core';

/** An item. */
export interface Item<T> {
  id: number;
  name?: string;
  render(x: T): void;
}

export type Key = string | number;
type Options = {
  deep: boolean;
};

export enum Color {
  Red,
  Green = 'g',
}

function pick(a: string): string;
function pick(a: number): number;
function pick(a: any): any {
  return a;
}

// The root.
@Component({
  selector: 'app',
})
export class App<T> implements Item<T> {
  @Input() id = 1;
  private readonly cache: Map<string, T> = new Map();

  constructor(private http: Http) {}

  @HostListener('click')
  onClick(event: Event): void {
    console.log(event);
  }

  abstract area(): number;

  handler = async <U,>(x: U): Promise<U> => {
    return x;
  };
}

export abstract class Base {
  protected abstract area(): number;
}

export namespace Inner {
  export function helper() {
    return 1;
  }
}

declare module 'thing' {
  export function thing(): void;
}

export const make = <T extends object>(x: T): T => x;
declare const VERSION: string;
