package io.rocketbufs.web;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;

/** A selection of the first elements of a collection, which costs less than sorting the whole collection. */
public final class Top {
    private Top() {}

    /** Returns at most {@code limit} elements: the first elements in the given order. */
    public static <T> List<T> of(Collection<T> all, Comparator<T> order, int limit) {
        PriorityQueue<T> first = new PriorityQueue<>(order.reversed());
        for (T each : all) {
            if (first.size() < limit) {
                first.add(each);
            } else if (order.compare(each, first.element()) < 0) {
                first.remove();
                first.add(each);
            }
        }
        List<T> sorted = new ArrayList<>(first);
        sorted.sort(order);
        return sorted;
    }
}
