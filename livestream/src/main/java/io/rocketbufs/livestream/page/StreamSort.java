package io.rocketbufs.livestream.page;

import io.rocketbufs.livestream.page.PageReading.StreamReading;
import java.util.Comparator;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/** The sort keys of streams. The highest number comes first; names break ties. */
enum StreamSort implements RowQuery.Sort<StreamReading> {
    BEHIND(row -> row.facts().behindMs()),
    IN(row -> row.rate() == null ? 0 : row.rate()),
    PEERS(row -> row.facts().peers()),
    CHUNKS(row -> row.facts().chunks()),
    REFUSALS(row -> row.facts().refusals()),
    NAME(row -> 0);

    private final Comparator<StreamReading> order;

    StreamSort(ToDoubleFunction<StreamReading> number) {
        this.order = Comparator.comparingDouble(number)
                .reversed()
                .thenComparing(row -> row.facts().name());
    }

    @Override
    public Comparator<StreamReading> order() {
        return order;
    }

    @Override
    public boolean contains(StreamReading row, String part) {
        return row.facts().name().toLowerCase(Locale.ROOT).contains(part);
    }

    @Override
    public Map<String, Object> json(StreamReading row) {
        return row.json();
    }
}
