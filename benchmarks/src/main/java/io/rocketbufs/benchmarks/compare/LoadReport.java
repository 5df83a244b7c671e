package io.rocketbufs.benchmarks.compare;

import com.typesafe.config.ConfigRenderOptions;
import com.typesafe.config.ConfigValueFactory;
import java.util.LinkedHashMap;
import java.util.Map;
import org.HdrHistogram.Histogram;

/**
 * The results printed by a load program.
 *
 * @param perSecond operations per second
 * @param cpuSeconds processor time of the program in seconds
 * @param sent number of messages or records sent
 * @param faults number of messages or records that were lost, duplicated, out of order or damaged
 * @param times times of the operations in nanoseconds; empty if no operation was timed
 */
public record LoadReport(double perSecond, double cpuSeconds, long sent, long faults, Histogram times) {
    /** Returns the results as a line of JSON. */
    public String json() {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("perSecond", perSecond);
        map.put("cpuSeconds", cpuSeconds);
        map.put("sent", sent);
        map.put("faults", faults);
        Map<String, Object> us = new LinkedHashMap<>();
        Latency.of(times).us().forEach((percent, value) -> us.put(Latency.text(percent), value));
        map.put("latencyUs", us);
        return ConfigValueFactory.fromMap(map).render(ConfigRenderOptions.concise());
    }
}
