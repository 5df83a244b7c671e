package io.rocketbufs.wire;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** Tests that check every byte of every message once, so that the wire format cannot change by accident. */
class ControlLayoutsTest {
    private static final HexFormat HEX = HexFormat.of();

    /** Returns a complete message in hexadecimal form. */
    private static String written(ControlType type, int correlationId, Consumer<ByteBuffer> body) {
        ByteBuffer message = ByteBuffer.allocate(1100);
        ControlLayout.begin(message, type, correlationId);
        body.accept(message);
        ControlLayout.end(message);
        byte[] bytes = new byte[message.remaining()];
        message.get(bytes);
        return HEX.formatHex(bytes);
    }

    /** Returns a body that does not begin at the start of its buffer. */
    private static ByteBuffer body(String... hex) {
        byte[] bytes = HEX.parseHex(String.join("", hex));
        return ByteBuffer.allocate(bytes.length + 5).position(5).put(bytes).position(5);
    }

    private static String bytes(String... parts) {
        return String.join("", parts);
    }

    @Test
    void shouldWriteTheHeader() {
        assertThat(written(ControlType.PING, 0x01020304, body -> {})).isEqualTo(bytes("0c", "01", "0000", "01020304"));
        assertThat(written(ControlType.APPLICATION, 0, body -> body.put(new byte[300])))
                .startsWith(bytes("0b", "01", "012c", "00000000"))
                .hasSize(2 * 308);
    }

    @Test
    void shouldReadTheHeader() {
        ByteBuffer message = body("ff", "fe", "fffd", "80000001");
        assertThat(ControlLayout.typeCode(message)).isEqualTo(0xff);
        assertThat(ControlLayout.version(message)).isEqualTo(0xfe);
        assertThat(ControlLayout.bodyLength(message)).isEqualTo(0xfffd);
        assertThat(ControlLayout.correlationId(message)).isEqualTo(0x80000001);
    }

    @Test
    void shouldWriteHello() {
        byte[] greeting = "me".getBytes(StandardCharsets.US_ASCII);
        assertThat(written(ControlType.HELLO, 0, body -> HelloLayout.put(body, 3, 0x01020304, greeting)))
                .isEqualTo(bytes("01", "01", "000e", "00000000", "52425546", "0003", "03", "01", "01020304", "6d65"));
    }

    @Test
    void shouldReadHello() {
        ByteBuffer body = body("52425546", "fffe", "03", "00", "01020304", "6d65");
        assertThat(HelloLayout.hasMagic(body)).isTrue();
        assertThat(HelloLayout.protocolVersion(body)).isEqualTo(0xfffe);
        assertThat(HelloLayout.role(body)).isEqualTo(3);
        assertThat(HelloLayout.heartbeatMs(body)).isEqualTo(0x01020304);
        assertThat(HelloLayout.greeting(body)).containsExactly('m', 'e');
        assertThat(HelloLayout.greeting(body("52425546", "0001", "03", "00", "01020304")))
                .isEmpty();
        assertThat(HelloLayout.hasMagic(body("52425547", "0001", "03", "00", "01020304")))
                .isFalse();
    }

    @Test
    void shouldWriteSubscribe() {
        String message = written(ControlType.SUBSCRIBE, 0, body -> {
            SubscribeLayout.putIds(body, 0x01020304, 0x05060708);
            SubscribeLayout.putLimits(body, 0x1112131415161718L, 0x21222324, 0x31, 0x32);
            SubscribeLayout.putAccess(body, 0x4142434445464748L, 0x5152535455565758L);
            SubscribeLayout.putStart(body, 0x6162636465666768L, 0x7172737475767778L);
            SubscribeLayout.putIdentity(body, 0x0a0b0c0d0e0f1011L);
        });
        assertThat(message)
                .isEqualTo(bytes(
                        bytes("02", "01", "0040", "00000000"),
                        bytes("01020304", "05060708", "1112131415161718", "21222324", "31", "32", "0000"),
                        bytes("4142434445464748", "5152535455565758", "6162636465666768", "7172737475767778"),
                        "0a0b0c0d0e0f1011"));
    }

    @Test
    void shouldReadSubscribe() {
        ByteBuffer body = body(
                bytes("81020304", "05060708", "1112131415161718", "21222324", "31", "32", "0000"),
                bytes("c142434445464748", "5152535455565758", "fffffffffffffffe", "7172737475767778"),
                "8a0b0c0d0e0f1011");
        assertThat(SubscribeLayout.LENGTH).isEqualTo(64);
        assertThat(SubscribeLayout.bufferId(body)).isEqualTo(0x81020304);
        assertThat(SubscribeLayout.tag(body)).isEqualTo(0x05060708);
        assertThat(SubscribeLayout.capacity(body)).isEqualTo(0x1112131415161718L);
        assertThat(SubscribeLayout.transferLimit(body)).isEqualTo(0x21222324);
        assertThat(SubscribeLayout.policy(body)).isEqualTo(0x31);
        assertThat(SubscribeLayout.demand(body)).isEqualTo(0x32);
        assertThat(SubscribeLayout.address(body)).isEqualTo(0xc142434445464748L);
        assertThat(SubscribeLayout.key(body)).isEqualTo(0x5152535455565758L);
        assertThat(SubscribeLayout.start(body)).isEqualTo(-2);
        assertThat(SubscribeLayout.kept(body)).isEqualTo(0x7172737475767778L);
        assertThat(SubscribeLayout.identity(body)).isEqualTo(0x8a0b0c0d0e0f1011L);
    }

    @Test
    void shouldWriteAndReadSubscribed() {
        String message = written(ControlType.SUBSCRIBED, 0x01020304, body -> {
            SubscribedLayout.putKind(body, 0x05060708, true, true);
            SubscribedLayout.putWord(body, 0x4142434445464748L, 0x5152535455565758L);
            SubscribedLayout.putPositions(body, 0x6162636465666768L, 0x7172737475767778L);
        });
        assertThat(message)
                .isEqualTo(bytes(
                        bytes("03", "01", "0028", "01020304"),
                        bytes("05060708", "01", "000000", "4142434445464748", "5152535455565758"),
                        bytes("6162636465666768", "7172737475767778")));
        ByteBuffer body = body(
                "05060708",
                "01",
                "000000",
                "c142434445464748",
                "5152535455565758",
                "6162636465666768",
                "7172737475767778");
        assertThat(SubscribedLayout.LENGTH).isEqualTo(40);
        assertThat(SubscribedLayout.tag(body)).isEqualTo(0x05060708);
        assertThat(SubscribedLayout.isOverwriting(body)).isTrue();
        assertThat(SubscribedLayout.address(body)).isEqualTo(0xc142434445464748L);
        assertThat(SubscribedLayout.key(body)).isEqualTo(0x5152535455565758L);
        assertThat(SubscribedLayout.startPosition(body)).isEqualTo(0x6162636465666768L);
        assertThat(SubscribedLayout.livePosition(body)).isEqualTo(0x7172737475767778L);
        ByteBuffer other = body("05060708", "00", "000000", "0000000000000000", "0000000000000000");
        assertThat(SubscribedLayout.isOverwriting(other)).isFalse();
        assertThat(SubscribedLayout.isLossy(other)).isFalse();
        ByteBuffer lossy = body("05060708", "02", "000000", "0000000000000000", "0000000000000000");
        assertThat(SubscribedLayout.isOverwriting(lossy)).isFalse();
        assertThat(SubscribedLayout.isLossy(lossy)).isTrue();
    }

    @Test
    void shouldWriteAndReadPositions() {
        String message = written(ControlType.CREDIT, 0, body -> PositionLayout.put(body, 0x01020304, 0x8112131415L));
        assertThat(message).isEqualTo(bytes("07", "01", "000c", "00000000", "01020304", "0000008112131415"));
        ByteBuffer body = body("01020304", "0000008112131415");
        assertThat(PositionLayout.LENGTH).isEqualTo(12);
        assertThat(PositionLayout.tag(body)).isEqualTo(0x01020304);
        assertThat(PositionLayout.position(body)).isEqualTo(0x8112131415L);
    }

    @Test
    void shouldWriteAndReadGaps() {
        String message = written(ControlType.GAP, 0, body -> GapLayout.put(body, 0x01020304, 0x11L << 56, 0x21222324L));
        assertThat(message)
                .isEqualTo(bytes("09", "01", "0014", "00000000", "01020304", "1100000000000000", "0000000021222324"));
        ByteBuffer body = body("01020304", "1100000000000000", "0000000021222324");
        assertThat(GapLayout.LENGTH).isEqualTo(20);
        assertThat(GapLayout.tag(body)).isEqualTo(0x01020304);
        assertThat(GapLayout.position(body)).isEqualTo(0x11L << 56);
        assertThat(GapLayout.lost(body)).isEqualTo(0x21222324L);
    }

    @Test
    void shouldWriteAndReadTexts() {
        String message = written(ControlType.GOODBYE, 0, body -> TextLayout.put(body, 0x01020304, "é!"));
        assertThat(message).isEqualTo(bytes("0d", "01", "0007", "00000000", "01020304", "c3a921"));
        assertThat(TextLayout.tag(body("01020304", "c3a921"))).isEqualTo(0x01020304);
        assertThat(TextLayout.text(body("01020304", "c3a921"))).isEqualTo("é!");
        assertThat(TextLayout.text(body("00000000"))).isEmpty();
    }

    @Test
    void shouldWriteGoodbyes() {
        assertThat(bytesOf(ControlMessages.goodbye("a", 0)))
                .isEqualTo(bytes("0d", "01", "0005", "00000000", "00000000", "61"));
        assertThat(bytesOf(ControlMessages.goodbye("a", TextLayout.TEMPORARY)))
                .isEqualTo(bytes("0d", "01", "0005", "00000000", "00000001", "61"));
    }

    private static String bytesOf(ByteBuffer message) {
        byte[] content = new byte[message.remaining()];
        message.get(content);
        return HEX.formatHex(content);
    }

    @Test
    void shouldTruncateALongText() {
        String message = written(ControlType.GOODBYE, 0, body -> TextLayout.put(body, 0, "x".repeat(5000)));
        assertThat(message).startsWith(bytes("0d", "01", "03f8")).hasSize(2 * 1024);
    }

    @Test
    void shouldSanitizeATextForALogLine() {
        String hostile = "a\r\n\t\u001b[2J\u007f\u0085\u009b\u2028\u2029\u202e\ud83d\ude00";
        ByteBuffer body = ByteBuffer.allocate(100);
        TextLayout.put(body, 0, hostile);
        assertThat(TextLayout.text(body.flip())).isEqualTo("a????[2J??????\ud83d\ude00");
    }

    @Test
    void shouldWriteAndReadImmediateData() {
        assertThat(ImmediateLayout.data(0, false)).isZero();
        assertThat(ImmediateLayout.data(0x3fffffff, false)).isEqualTo(0x3fffffff);
        assertThat(ImmediateLayout.data(0x12345678, true)).isEqualTo(0x92345678);
        assertThat(ImmediateLayout.tag(0xbfffffff)).isEqualTo(ImmediateLayout.MAX_TAG);
        assertThat(ImmediateLayout.tag(0x40000000)).isGreaterThan(ImmediateLayout.MAX_TAG);
        assertThat(ImmediateLayout.hasMore(0x80000000)).isTrue();
        assertThat(ImmediateLayout.hasMore(0x7fffffff)).isFalse();
    }

    @Test
    void shouldReadTheFeaturesOfHello() {
        assertThat(HelloLayout.features(body("52425546", "0003", "03", "81", "00000001")))
                .isEqualTo(0x81);
    }

    @Test
    void shouldWriteAndReadSeek() {
        assertThat(written(ControlType.SEEK, 0, body -> SeekLayout.put(body, 5, 0x0102030405060708L)))
                .isEqualTo(bytes("10", "01", "000c", "00000000", "00000005", "0102030405060708"));
        ByteBuffer body = body("80000001", "8000000000000002");
        assertThat(SeekLayout.grantId(body)).isEqualTo(0x80000001);
        assertThat(SeekLayout.offset(body)).isEqualTo(0x8000000000000002L);
    }

    @Test
    void shouldWriteAndReadReadRequest() {
        assertThat(written(ControlType.READ_REQUEST, 0, body -> {
                    ReadLayout.putRange(body, 5, 6, 7);
                    ReadLayout.putAccess(body, 8, 9);
                }))
                .isEqualTo(bytes(
                        "11",
                        "01",
                        "0020",
                        "00000000",
                        "00000005",
                        "00000006",
                        "0000000000000007",
                        "0000000000000008",
                        "0000000000000009"));
        ByteBuffer body = body("80000001", "80000002", "8000000000000003", "8000000000000004", "8000000000000005");
        assertThat(ReadLayout.grantId(body)).isEqualTo(0x80000001);
        assertThat(ReadLayout.length(body)).isEqualTo(0x80000002);
        assertThat(ReadLayout.offset(body)).isEqualTo(0x8000000000000003L);
        assertThat(ReadLayout.address(body)).isEqualTo(0x8000000000000004L);
        assertThat(ReadLayout.key(body)).isEqualTo(0x8000000000000005L);
    }

    @Test
    void shouldWriteAndReadAtomicRequestAndAnswer() {
        assertThat(written(ControlType.ATOMIC_REQUEST, 0, body -> {
                    AtomicLayout.putWord(body, 5, AtomicLayout.SWAP, 7);
                    AtomicLayout.putOperands(body, 8, 9);
                }))
                .isEqualTo(bytes(
                        "12",
                        "01",
                        "0020",
                        "00000000",
                        "00000005",
                        "00000002",
                        "0000000000000007",
                        "0000000000000008",
                        "0000000000000009"));
        ByteBuffer body = body("80000001", "80000002", "8000000000000003", "8000000000000004", "8000000000000005");
        assertThat(AtomicLayout.grantId(body)).isEqualTo(0x80000001);
        assertThat(AtomicLayout.operation(body)).isEqualTo(0x80000002);
        assertThat(AtomicLayout.offset(body)).isEqualTo(0x8000000000000003L);
        assertThat(AtomicLayout.operand(body)).isEqualTo(0x8000000000000004L);
        assertThat(AtomicLayout.expected(body)).isEqualTo(0x8000000000000005L);
        assertThat(written(ControlType.ATOMIC_ANSWER, 0, answer -> AtomicLayout.putBefore(answer, -2)))
                .isEqualTo(bytes("13", "01", "0008", "00000000", "fffffffffffffffe"));
        assertThat(AtomicLayout.before(body("8000000000000001"))).isEqualTo(0x8000000000000001L);
    }

    @Test
    void shouldWriteAndReadRevokeAndRevoked() {
        assertThat(written(ControlType.REVOKE, 0, body -> RevokeLayout.put(body, 5, 6)))
                .isEqualTo(bytes("14", "01", "0008", "00000000", "00000005", "00000006"));
        assertThat(written(ControlType.REVOKED, 0, body -> RevokeLayout.put(body, 5, 6)))
                .isEqualTo(bytes("15", "01", "0008", "00000000", "00000005", "00000006"));
        ByteBuffer body = body("80000001", "80000002");
        assertThat(RevokeLayout.grantId(body)).isEqualTo(0x80000001);
        assertThat(RevokeLayout.serial(body)).isEqualTo(0x80000002);
    }

    @Test
    void shouldDescribeAGrant() {
        ByteBuffer description = ByteBuffer.allocate(GrantLayout.LENGTH);
        GrantLayout.putGrant(description, GrantLayout.READ | GrantLayout.ATOMIC, 1023, 7);
        GrantLayout.putMemory(description, 8, 9, 10);
        assertThat(HEX.formatHex(description.array()))
                .isEqualTo(bytes(
                        "01", "06", "03ff", "00000007", "0000000000000008", "0000000000000009", "000000000000000a"));
        ByteBuffer read =
                body("01", "06", "03ff", "00000007", "0000000000000008", "8000000000000009", "800000000000000a");
        read.limit(read.position() + GrantLayout.LENGTH);
        assertThat(GrantLayout.mistakeIn(read)).isNull();
        assertThat(GrantLayout.rights(read)).isEqualTo(6);
        assertThat(GrantLayout.id(read)).isEqualTo(1023);
        assertThat(GrantLayout.serial(read)).isEqualTo(7);
        assertThat(GrantLayout.length(read)).isEqualTo(8);
        assertThat(GrantLayout.address(read)).isEqualTo(0x8000000000000009L);
        assertThat(GrantLayout.key(read)).isEqualTo(0x800000000000000aL);
    }

    @Test
    void shouldTellWritesIntoGrantedMemoryByImmediateData() {
        int last = ImmediateLayout.granted(1023, 0xabcd, false);
        int more = ImmediateLayout.granted(ImmediateLayout.ANSWER, 0, true);
        assertThat(last).isEqualTo(0x43ffabcd);
        assertThat(more).isEqualTo(0xffff0000);
        assertThat(ImmediateLayout.isGranted(last)).isTrue();
        assertThat(ImmediateLayout.isGranted(ImmediateLayout.data(ImmediateLayout.MAX_TAG, true)))
                .isFalse();
        assertThat(ImmediateLayout.grantId(last)).isEqualTo(1023);
        assertThat(ImmediateLayout.number(last)).isEqualTo(0xabcd);
        assertThat(ImmediateLayout.hasMore(last)).isFalse();
        assertThat(ImmediateLayout.grantId(more)).isEqualTo(ImmediateLayout.ANSWER);
        assertThat(ImmediateLayout.hasMore(more)).isTrue();
        assertThat(ImmediateLayout.tag(last)).isGreaterThan(ImmediateLayout.MAX_TAG);
    }
}
