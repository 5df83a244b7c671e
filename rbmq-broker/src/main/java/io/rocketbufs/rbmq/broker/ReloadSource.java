package io.rocketbufs.rbmq.broker;

/** A source from which a broker rereads its configuration. */
@FunctionalInterface
public interface ReloadSource {
    /**
     * Reads and checks the complete configuration; may block.
     *
     * @param running the settings in force, which {@link BrokerSettings#reloaded} needs
     * @throws ReloadException listing all errors
     */
    BrokerSettings read(BrokerSettings running);
}
