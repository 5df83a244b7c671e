package io.rocketbufs.rbmq.client;

import java.util.List;

/**
 * The subscriptions that receive the messages of one buffer. A single subscription is handled without a loop.
 *
 * <p><b>Thread-safety:</b> the connection's worker.
 */
interface Recipients {
    /** Returns true if the next message can be handed over. Called before each message. */
    boolean takes();

    /** Hands a message over. Returns false if the only subscription has given it back and is therefore closed. */
    boolean hand(Message message);

    /**
     * Called when reading pauses or a transfer ends.
     *
     * @param count number of messages handed over since the last call
     * @param length total length of these messages in bytes
     */
    void count(long count, long length);

    /** A callback for exceptions that a handler throws. */
    @FunctionalInterface
    interface HandlerFailure {
        void onHandlerFailure(Subscription subscription, Throwable failure);
    }

    /** Returns the recipients of a buffer. If there are no subscriptions, the buffer's messages are skipped. */
    static Recipients of(List<Subscription> subscriptions, HandlerFailure onFailure) {
        return switch (subscriptions.size()) {
            case 0 -> new None();
            case 1 -> new One(subscriptions.get(0), onFailure);
            default -> new Several(subscriptions.toArray(new Subscription[0]), onFailure);
        };
    }

    private static void hand(Message message, Subscription to, HandlerFailure onFailure) {
        try {
            to.handler().onMessage(message);
        } catch (VirtualMachineError e) {
            throw e;
        } catch (Throwable e) {
            onFailure.onHandlerFailure(to, e);
        }
    }

    /**
     * Recipients without a subscription. They consume the messages of closed subscriptions, because later subscriptions
     * must not receive these messages.
     */
    final class None implements Recipients {
        private None() {}

        @Override
        public boolean takes() {
            return true;
        }

        @Override
        public boolean hand(Message message) {
            return true;
        }

        @Override
        public void count(long count, long length) {}
    }

    /** A single subscription. */
    final class One implements Recipients {
        private final Subscription subscription;
        private final HandlerFailure onFailure;

        private One(Subscription subscription, HandlerFailure onFailure) {
            this.subscription = subscription;
            this.onFailure = onFailure;
        }

        @Override
        public boolean takes() {
            return subscription.isTaking();
        }

        @Override
        public boolean hand(Message message) {
            Recipients.hand(message, subscription, onFailure);
            if (message.wasGivenBack()) {
                subscription.close();
                return false;
            }
            return true;
        }

        @Override
        public void count(long count, long length) {
            subscription.counts().received(count, length);
        }
    }

    /**
     * Several subscriptions. Each message is handed to all of them except closed ones. While one of them is paused,
     * messages are not handed over.
     */
    final class Several implements Recipients {
        private final Subscription[] subscriptions;
        private final long[] counts;
        private final long[] lengths;
        private final HandlerFailure onFailure;

        private Several(Subscription[] subscriptions, HandlerFailure onFailure) {
            this.subscriptions = subscriptions;
            this.counts = new long[subscriptions.length];
            this.lengths = new long[subscriptions.length];
            this.onFailure = onFailure;
        }

        @Override
        public boolean takes() {
            boolean wanted = false;
            for (Subscription subscription : subscriptions) {
                if (subscription.isTaking()) {
                    wanted = true;
                } else if (!subscription.isLeft()) {
                    return false;
                }
            }
            return wanted;
        }

        @Override
        public boolean hand(Message message) {
            for (int i = 0; i < subscriptions.length; i++) {
                // If a handler pauses a subscription, the other subscriptions still receive this message.
                if (!subscriptions[i].isLeft()) {
                    Recipients.hand(message, subscriptions[i], onFailure);
                    counts[i]++;
                    lengths[i] += message.length();
                    if (message.wasGivenBack()) {
                        subscriptions[i].close();
                    }
                }
            }
            return true;
        }

        @Override
        public void count(long count, long length) {
            for (int i = 0; i < subscriptions.length; i++) {
                subscriptions[i].counts().received(counts[i], lengths[i]);
                counts[i] = 0;
                lengths[i] = 0;
            }
        }
    }
}
