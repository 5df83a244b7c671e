package io.rocketbufs.contract;

import org.junit.jupiter.api.Nested;

/**
 * The behaviour that applications can rely on with every transport, grouped by topic. A transport's test subclasses
 * this class and supplies the transport.
 */
public abstract class TransportContract extends TransportVariantContract {
    /** Returns true if the transport allocates objects for each operation, because it is a test double. */
    protected boolean allocates() {
        return false;
    }

    @Nested
    class CreditOfAConnection extends ConnectionCreditContract {
        CreditOfAConnection() {
            super(stage());
        }
    }

    @Nested
    class Joining extends JoinContract {
        Joining() {
            super(stage());
        }
    }

    @Nested
    class Starting extends StartContract {
        Starting() {
            super(stage());
        }
    }

    @Nested
    class Keeping extends KeepContract {
        Keeping() {
            super(stage());
        }
    }

    @Nested
    class Resuming extends ResumeContract {
        Resuming() {
            super(stage());
        }
    }

    @Nested
    class Subscriptions extends SubscriptionContract {
        Subscriptions() {
            super(stage());
        }
    }

    @Nested
    class Reservations extends ReservationContract {
        Reservations() {
            super(stage());
        }
    }

    @Nested
    class SlowSubscribers extends SlowPolicyContract {
        SlowSubscribers() {
            super(stage());
        }
    }

    @Nested
    class Discarding extends DiscardContract {
        Discarding() {
            super(stage());
        }
    }

    @Nested
    class SplicesAndGaps extends SpliceGapContract {
        SplicesAndGaps() {
            super(stage());
        }
    }

    @Nested
    class OverwritingSplices extends SpliceOverwritingContract {
        OverwritingSplices() {
            super(stage());
        }
    }

    @Nested
    class SplicePolicies extends SplicePolicyContract {
        SplicePolicies() {
            super(stage());
        }
    }

    @Nested
    class SlowWatches extends SlowWatchContract {
        SlowWatches() {
            super(stage());
        }
    }

    @Nested
    class SpliceEnds extends SpliceEndContract {
        SpliceEnds() {
            super(stage());
        }
    }

    @Nested
    class WholeFiles extends WholeFileContract {
        WholeFiles() {
            super(stage(), sharesFiles());
        }
    }

    @Nested
    class SharedWords extends SharedWordsContract {
        SharedWords() {
            super(stage(), sharesFiles());
        }
    }

    @Nested
    class CostOfReads extends ReadCostContract {
        CostOfReads() {
            super(stage(), sharesFiles(), allocates());
        }
    }
}
