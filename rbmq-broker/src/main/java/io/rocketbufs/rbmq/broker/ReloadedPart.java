package io.rocketbufs.rbmq.broker;

/** A part of a broker whose settings a reload replaces, together with those of all other parts or not at all. */
@FunctionalInterface
public interface ReloadedPart {
    /**
     * Prepares new settings without changing anything, for example by reading a file that they name. Called on the
     * thread of the reload, one reload at a time.
     *
     * @return puts the settings in force once all parts are prepared; must be fast, and must not fail
     * @throws ReloadException when the settings cannot be used, with all reasons; the reload then changes nothing
     */
    Runnable prepare(BrokerSettings settings);
}
