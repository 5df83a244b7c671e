package io.rocketbufs.rbmq.client;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class PublishedMessagesTest {
    private final PublishedMessages published = new PublishedMessages();

    @Test
    void shouldHaveNothingUnconfirmedAtFirst() {
        assertThat(published.isConfirmed()).isTrue();
        assertThat(published.counts().unconfirmedCount()).isZero();
    }

    @Test
    void shouldCountUnconfirmedMessages() {
        add(3);
        published.confirm(14);
        assertThat(published.counts().publishedCount()).isEqualTo(3);
        assertThat(published.counts().publishedLength()).isEqualTo(30);
        assertThat(published.counts().unconfirmedCount()).isEqualTo(2);
        assertThat(published.counts().unconfirmedLength()).isEqualTo(28);
        published.confirm(42);
        assertThat(published.isConfirmed()).isTrue();
        assertThat(published.counts().unconfirmedCount()).isZero();
    }

    @Test
    void shouldNotConfirmLostMessages() {
        add(1);
        published.loseFurther();
        add(1);
        published.loseFurther();
        add(1);
        published.confirm(42);
        assertThat(published.counts().unconfirmedCount()).isEqualTo(2);
        assertThat(published.counts().unconfirmedLength()).isEqualTo(28);
    }

    @Test
    void shouldConfirmEverythingWithoutFlowControl() {
        add(3);
        published.confirmAll();
        assertThat(published.isConfirmed()).isTrue();
        assertThat(published.counts().unconfirmedCount()).isZero();
    }

    @Test
    void shouldKeepItsCountsAfterClose() {
        add(3);
        published.confirm(14);
        published.close();
        assertThat(published.counts().publishedCount()).isEqualTo(3);
        assertThat(published.counts().unconfirmedCount()).isEqualTo(2);
    }

    @Test
    void shouldCountCorrectlyAfterMakingRoom() {
        for (int i = 0; i < 100_000; i++) {
            if (published.isFull()) {
                published.confirm(14L * (i - 100));
                published.makeRoom();
            }
            add(1);
        }
        published.confirm(14L * 100_000);
        assertThat(published.counts().unconfirmedCount()).isZero();
        assertThat(published.counts().publishedCount()).isEqualTo(100_000);
    }

    @Test
    void shouldCountTheMessagesThatAreSentAgainOrDropped() {
        add(3);
        published.confirm(14);
        published.lose();
        add(1); // while there is no connection
        published.resend();
        published.resend();
        assertThat(published.counts().resentCount()).isEqualTo(2);
        published.drop();
        assertThat(published.counts().droppedCount()).isEqualTo(3);
        assertThat(published.counts().unconfirmedCount()).isZero();
        assertThat(published.counts().unconfirmedLength()).isZero();
        assertThat(published.counts().publishedCount()).isEqualTo(4);
    }

    @Test
    void shouldKeepMessagesConfirmedThatAreSentAgainToAnotherBroker() {
        add(3);
        published.confirm(28);
        published.confirm(14);
        assertThat(published.counts().unconfirmedCount()).isEqualTo(1);
    }

    /** Adds messages of 10 bytes, each of which has a length of 14 bytes with its header. */
    private void add(int count) {
        for (int i = 0; i < count; i++) {
            published.add(14, 1, 10);
        }
    }
}
