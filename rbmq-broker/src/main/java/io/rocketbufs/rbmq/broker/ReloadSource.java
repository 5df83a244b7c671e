package io.rocketbufs.rbmq.broker;

import java.util.List;

/** The place from which a broker reads its configuration again. */
@FunctionalInterface
public interface ReloadSource {
    /** The source of a broker whose program replaces the settings itself. */
    ReloadSource NONE = running -> {
        throw new ReloadException(List.of(
                "the configuration of this broker belongs to the program that contains it, which can reload it"));
    };

    /**
     * Reads and checks the whole configuration; may block.
     *
     * @param running the settings in force, which {@link BrokerSettings#reloaded} needs
     * @throws ReloadException with all mistakes
     */
    BrokerSettings read(BrokerSettings running);
}
