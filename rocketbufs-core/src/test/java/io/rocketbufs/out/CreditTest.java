package io.rocketbufs.out;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CreditTest {
    private static final long CAPACITY = 100;
    private static final long QUARTER = CAPACITY / 4;

    private final Credit credit = new Credit(CAPACITY, CAPACITY, true, QUARTER, true);

    /** Sends a whole transfer and starts the next one. */
    private void send(long length) {
        credit.claim(length);
        credit.sent(length);
        credit.beginTransfer();
    }

    @Test
    void shouldOfferTheUnusedCapacity() {
        send(90);
        assertThat(credit.available()).isEqualTo(10);
        assertThat(credit.onUpdate(30)).isTrue();
        assertThat(credit.available()).isEqualTo(40);
    }

    @Test
    void shouldBeUnlimitedWhenNoCreditIsNeeded() {
        Credit unlimited = new Credit(CAPACITY, CAPACITY, false, QUARTER, false);
        for (int i = 0; i < 10; i++) {
            unlimited.claim(CAPACITY);
            unlimited.sent(CAPACITY);
        }
        assertThat(unlimited.available()).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void shouldWrapToTheFirstByteOfTheRemoteBuffer() {
        send(60);
        assertThat(credit.offset()).isEqualTo(60);
        send(40);
        assertThat(credit.offset()).isZero();
        send(CAPACITY);
        assertThat(credit.offset()).isZero();
        send(99);
        send(3);
        assertThat(credit.offset()).isEqualTo(2);
    }

    @Test
    void shouldReturnToTheStartOfADroppedTransfer() {
        send(90);
        credit.claim(20);
        credit.sent(20);
        assertThat(credit.offset()).isEqualTo(10);
        assertThat(credit.dropTransfer()).isEqualTo(20);
        assertThat(credit.offset()).isEqualTo(90);
        assertThat(credit.sentPosition()).isEqualTo(90);
    }

    @Test
    void shouldRejectAClaimToHaveConsumedADroppedTransfer() {
        send(40);
        credit.claim(20);
        credit.sent(20);
        credit.dropTransfer();
        assertThat(credit.onUpdate(41)).isFalse();
        assertThat(credit.onWord(41)).isFalse();
        assertThat(credit.onUpdate(40)).isTrue();
    }

    @Test
    void shouldRejectAClaimToHaveConsumedUnwrittenData() {
        send(10);
        assertThat(credit.onUpdate(11)).isFalse();
        assertThat(credit.onWord(11)).isFalse();
        assertThat(credit.consumedPosition()).isZero();
    }

    @Test
    void shouldAskForTheNextQuarterWhenTheReceiverReportsThat() {
        send(90);
        assertThat(credit.wantedPosition(20)).isEqualTo(QUARTER);
    }

    @Test
    void shouldAskForASufficientPositionWhenAQuarterIsNotEnough() {
        send(100);
        assertThat(credit.wantedPosition(60)).isEqualTo(60);
    }

    @ParameterizedTest
    @ValueSource(longs = {70, 80, 89, 90})
    void shouldNotAskForMoreThanWasSentWhenTheReceiverConsumesConcurrently(long consumed) {
        send(90);
        // The credit is 20 bytes short. Before the sender requests it, the receiver writes its word.
        assertThat(credit.available()).isLessThan(20);
        assertThat(credit.onWord(consumed)).isTrue();
        assertThat(credit.wantedPosition(20)).isBetween(0L, 90L);
    }

    @Test
    void shouldAskOnceUntilAnAnswerArrives() {
        send(90);
        assertThat(credit.mustAsk(20)).isTrue();
        credit.asked(credit.wantedPosition(20), credit.updateCount());
        assertThat(credit.mustAsk(20)).isFalse();
        assertThat(credit.onUpdate(5)).isTrue();
        assertThat(credit.mustAsk(20)).isTrue();
    }
}
