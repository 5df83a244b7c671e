package io.rocketbufs.rbmq.broker;

/** The place from which a broker reads its configuration again. */
@FunctionalInterface
public interface ReloadSource {
    /**
     * Reads and checks the whole configuration; may block.
     *
     * @param running the settings in force, which {@link BrokerSettings#reloaded} needs
     * @throws ReloadException with all mistakes
     */
    BrokerSettings read(BrokerSettings running);
}
