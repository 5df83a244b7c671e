package io.rocketbufs.livestream.page;

import io.rocketbufs.livestream.page.PageReading.PeerReading;
import java.util.Comparator;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/** The sort keys of edges and viewers. The highest number comes first; addresses break ties. */
enum PeerSort implements RowQuery.Sort<PeerReading> {
    STALLED(PeerReading::stalledMs),
    WAITING(row -> row.facts().waitingBytes()),
    LOST(row -> row.facts().lostBytes()),
    OUT(row -> row.rate() == null ? 0 : row.rate()),
    OLDEST(row -> row.facts().connectedMs()),
    ADDRESS(row -> 0);

    private final Comparator<PeerReading> order;

    PeerSort(ToDoubleFunction<PeerReading> number) {
        this.order = Comparator.comparingDouble(number)
                .reversed()
                .thenComparing(row -> row.facts().address());
    }

    @Override
    public Comparator<PeerReading> order() {
        return order;
    }

    @Override
    public boolean contains(PeerReading row, String part) {
        String stream = row.facts().stream();
        return row.facts().address().contains(part)
                || stream != null && stream.toLowerCase(Locale.ROOT).contains(part);
    }

    @Override
    public Map<String, Object> json(PeerReading row) {
        return row.json();
    }
}
