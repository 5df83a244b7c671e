package io.rocketbufs.rbmq.client;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("once")
final class SubscriptionRequestTest {
    private static final long BROKER = 1;
    private static final long OTHER = 2;

    private static SubscriptionRequest<String> complete(SubscriptionRequest<String> request) {
        request.onListed();
        return request;
    }

    private static SubscriptionRequest<String> first() {
        return SubscriptionRequest.first(false, BROKER);
    }

    @Test
    void shouldBeCompleteWhenAllListedBuffersAreSubscribedTo() {
        SubscriptionRequest<String> request = first();
        request.unsettled();
        request.unsettled();
        assertThat(request.settled()).isFalse();
        assertThat(request.onListed()).isFalse();
        assertThat(request.settled()).isTrue();
        request.unsettled(); // a publisher that joins later
        assertThat(request.settled()).isTrue();
    }

    @Test
    void shouldContinueOnTheSameBroker() {
        SubscriptionRequest<String> request = complete(first()).lost().next(BROKER);
        assertThat(request.isContinued()).isTrue();
        assertThat(request.isListed()).isFalse();
        assertThat(request.lost().next(BROKER).isContinued()).isTrue(); // lost before it was listed
    }

    @Test
    void shouldNotContinueWhatWasNeverComplete() {
        assertThat(first().lost().next(BROKER).isContinued()).isFalse();
    }

    @Test
    void shouldNotContinueAfterAnotherBroker() {
        SubscriptionRequest<String> elsewhere = complete(first()).lost().next(OTHER);
        assertThat(elsewhere.isContinued()).isFalse();
        assertThat(elsewhere.lost().next(BROKER).isContinued()).isFalse();
        assertThat(complete(elsewhere).lost().next(OTHER).isContinued()).isTrue();
    }

    @Test
    void shouldEndAtOnceOrWhenTheBrokerHasListedTheBuffers() {
        SubscriptionRequest<String> listed = complete(first());
        assertThat(listed.requestEnd()).isTrue();
        assertThat(listed.requestEnd()).isFalse();
        assertThat(listed.mustEnd()).isTrue();
        SubscriptionRequest<String> early = first();
        assertThat(early.requestEnd()).isFalse();
        assertThat(early.mustEnd()).isFalse();
        early.onListed();
        assertThat(early.mustEnd()).isTrue();
        SubscriptionRequest<String> unsent = complete(first()).lost();
        assertThat(unsent.requestEnd()).isFalse();
    }

    @Test
    void shouldFindDeparturesThatTheSubscriberHasNotSeen() {
        SubscriptionRequest<String> request = first();
        assertThat(request.onDepartures(5, 0)).isFalse(); // before it began
        complete(request);
        request.onDeparture();
        SubscriptionRequest<String> next = request.lost().next(BROKER);
        assertThat(next.onDepartures(7, 1)).isFalse(); // a known publisher is no longer listed
        complete(next);
        assertThat(next.lost().next(BROKER).onDepartures(8, 0)).isTrue();
        assertThat(next.lost().next(OTHER).onDepartures(9, 0)).isFalse();
    }

    @Test
    void shouldFindDeparturesAfterASecondLossThatPrecedesTheReportOfAbsentBuffers() {
        SubscriptionRequest<String> second = complete(first()).lost().next(BROKER);
        assertThat(second.onDepartures(1, 1)).isFalse();
        SubscriptionRequest<String> third = second.lost().next(BROKER);
        assertThat(third.onDepartures(2, 1)).isTrue(); // the same one is absent; another one has joined and left
    }

    @Test
    void shouldCountAbsentBuffersOnceWhenTheyHaveBeenReported() {
        SubscriptionRequest<String> second = complete(first()).lost().next(BROKER);
        assertThat(second.onDepartures(1, 1)).isFalse();
        second.onDeparture();
        second.onAbsentForgotten();
        second.onAbsentForgotten();
        SubscriptionRequest<String> third = complete(second).lost().next(BROKER);
        assertThat(third.onDepartures(2, 0)).isFalse();
        third.onAbsentForgotten();
        assertThat(complete(third).lost().next(BROKER).onDepartures(3, 0)).isTrue();
    }
}
