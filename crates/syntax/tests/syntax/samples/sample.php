<?php
namespace App\Shop;
use App\Models\Item;
use App\Models\{User, Group as G};
use function App\helper;
require_once __DIR__ . '/lib.php';
/** A cart. */
#[Entity]
class Cart extends Base implements Thing {
    use Logs;
    const LIMIT = 10;
    private ?Item $item = null;
    public function __construct(private int $n) { parent::__construct($n); }
    /** Adds. */
    public function add(Item $item, int $n = 1): static {
        $x = new Item($n);
        $x->save(); Item::find(1); helper($x); self::LIMIT; $this->item->name;
        return $this;
    }
    abstract protected function f();
}
interface Shape { public function area(): float; }
trait Logs { public function log() {} }
enum Suit: string { case Hearts = 'H'; public function label() {} }
function top($a) { return new \Foo\Bar(); }
const X = 1;
define('Y', 2);
$f = function ($x) { return $x; };
