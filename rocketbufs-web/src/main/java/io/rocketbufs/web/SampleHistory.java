package io.rocketbufs.web;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;

/**
 * The recent history of a server: samples of several values, which a page shows as charts. In arrays of fixed size, the
 * newest samples replace the oldest.
 *
 * <p><b>Thread-safety:</b> any thread may use it.
 */
public final class SampleHistory {
    private final int capacity;
    private final List<String> names;
    private final long[] timesNs;
    private final double[][] values;
    /** Number of samples so far. The number modulo the capacity is the array index of the next sample. */
    private long count;

    /**
     * Creates an empty history.
     *
     * @param capacity number of samples to keep
     * @param names names of the values in each sample
     */
    public SampleHistory(int capacity, String... names) {
        this.capacity = capacity;
        this.names = List.of(names);
        this.timesNs = new long[capacity];
        this.values = new double[names.length][capacity];
    }

    /** Adds a sample, with a value for each name. */
    public synchronized void add(long nowNs, double... sample) {
        int index = (int) (count % capacity);
        timesNs[index] = nowNs;
        for (int i = 0; i < values.length; i++) {
            values[i][index] = sample[i];
        }
        count++;
    }

    /**
     * Returns the samples as a JSON object of arrays, oldest sample first. The object contains the ages in milliseconds
     * as {@code ageMs}, and the values by name.
     */
    public synchronized Map<String, Object> json(long nowNs) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("ageMs", each(index -> TimeUnit.NANOSECONDS.toMillis(nowNs - timesNs[index])));
        for (int i = 0; i < values.length; i++) {
            double[] own = values[i];
            json.put(names.get(i), each(index -> own[index]));
        }
        return json;
    }

    private List<Object> each(IntFunction<Object> value) {
        List<Object> all = new ArrayList<>(capacity);
        for (long i = Math.max(0, count - capacity); i < count; i++) {
            all.add(value.apply((int) (i % capacity)));
        }
        return all;
    }
}
