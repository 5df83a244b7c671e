package io.rocketbufs.delivery;

/**
 * How an output buffer behaves.
 *
 * @param terms towards subscriptions
 * @param recordCount deliveries that can be on their way where they are kept apart
 * @param separate lets deliveries be discarded
 * @param hold data waits for the first subscriber
 */
public record OutputOptions(FanoutTerms terms, int recordCount, boolean separate, boolean hold) {}
