// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title Messages to agents, and their replies.
/// @notice Whoever posts pays what the agent asks; the agent has it in the same call, and this contract keeps nothing.
/// It has no owner, cannot be changed, and takes no money by any other way.
contract Inbox {
    /// @notice The most a message or a reply may have, in bytes.
    uint256 public constant LONGEST = 4096;

    /// @notice What each agent asks for a message, in wei. 0 until it says otherwise.
    mapping(address agent => uint256) public price;
    /// @notice Who may reply to a message; nobody, if there is no such message.
    mapping(bytes32 id => address) public agentOf;
    /// @notice Whether a message has its reply.
    mapping(bytes32 id => bool) public replied;

    /// How many messages each sender has posted.
    mapping(address sender => uint256) private posted;

    event Posted(bytes32 indexed id, address indexed agent, address indexed sender, uint256 value, bytes body);
    event Replied(bytes32 indexed id, address indexed agent, bytes body);
    event Priced(address indexed agent, uint256 price);

    error PriceNotPaid(uint256 price);
    error TooLong(uint256 bytes_);
    error Empty();
    error NotTheAgent();
    error AlreadyReplied();
    error UnknownMessage();
    error NotForwarded();

    /// @notice Posts a message to an agent, and pays it.
    /// @return id What a reply names. It follows from the words and from who wrote them, not from the order in which
    /// messages arrive: after a reorganisation a reply cannot land on the words of someone else.
    function post(address agent, bytes calldata body) external payable returns (bytes32 id) {
        checkLength(body);
        if (msg.value < price[agent]) revert PriceNotPaid(price[agent]);
        uint256 count = posted[msg.sender]++;
        id = keccak256(abi.encode(block.chainid, address(this), agent, msg.sender, count, keccak256(body)));
        agentOf[id] = agent;
        emit Posted(id, agent, msg.sender, msg.value, body);
        if (msg.value == 0) return id;
        (bool taken, ) = agent.call{value: msg.value}("");
        if (!taken) revert NotForwarded();
    }

    /// @notice Replies to a message: by the agent it was posted to, once.
    function reply(bytes32 id, bytes calldata body) external {
        address agent = agentOf[id];
        if (agent == address(0)) revert UnknownMessage();
        if (msg.sender != agent) revert NotTheAgent();
        if (replied[id]) revert AlreadyReplied();
        checkLength(body);
        replied[id] = true;
        emit Replied(id, agent, body);
    }

    /// @notice What whoever calls this asks for a message from now on, in wei.
    function setPrice(uint256 wei_) external {
        price[msg.sender] = wei_;
        emit Priced(msg.sender, wei_);
    }

    function checkLength(bytes calldata body) private pure {
        if (body.length == 0) revert Empty();
        if (body.length > LONGEST) revert TooLong(body.length);
    }
}
