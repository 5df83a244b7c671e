package io.rocketbufs.rbmq.broker;

import java.util.List;

/**
 * The changes found by a reload, one line for each key or user. The lines contain no secrets.
 *
 * @param changes the changes that are in force
 * @param notApplied the changes that require a restart, with the value in use and the configured value
 */
public record ReloadReport(List<String> changes, List<String> notApplied) {
    /** Creates a report. */
    public ReloadReport {
        changes = List.copyOf(changes);
        notApplied = List.copyOf(notApplied);
    }
}
