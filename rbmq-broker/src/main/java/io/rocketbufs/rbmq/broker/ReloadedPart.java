package io.rocketbufs.rbmq.broker;

/**
 * A part of a broker whose settings are replaced by a reload. The settings of all parts are replaced together or not at
 * all.
 */
@FunctionalInterface
public interface ReloadedPart {
    /**
     * Prepares new settings without changing anything, for example by reading a file that they name. Called on the
     * thread that performs the reload; reloads never overlap.
     *
     * @return a task that puts the settings into force; it runs once all parts are prepared, must be fast and must not
     *     fail
     * @throws ReloadException listing all reasons why the settings cannot be used; the reload then changes nothing
     */
    Runnable prepare(BrokerSettings settings);
}
