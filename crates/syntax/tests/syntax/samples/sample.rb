require 'json'
require_relative '../lib/cart'
module Shop
  # A cart.
  class Cart < Base
    include Comparable
    LIMIT = 10
    attr_reader :name, :items
    def initialize(name, count: 1)
      @name = name
      super()
    end
    # Adds.
    def add(item)
      items.each { |x| x.touch(1) }
      Item.new(item).save
      helper item
      total += Price::LIMIT
    end
    def self.make; end
    def empty? = items.empty?
    class << self
      def build; end
    end
    alias_method :plus, :add
  end
end
Point = Struct.new(:x, :y) do
  def dist; end
end
def top; end
